// forced.c: the response that a client prefers: by status, by the name of an example, synthesised by seed.
#include "rest/rest_internal.h"

static const lg_json *examples_of(const rest_media *media)
{
    const lg_json *examples = lg_json_get(media->source, LG_STR("examples"));
    return lg_json_is(examples, LG_JSON_OBJECT) && lg_json_len(examples) ? examples : NULL;
}

static const lg_json *example_value(const rest_writing *w, const lg_json *example)
{
    // Swagger 2.0 has the example itself under its media type.
    return w->rest->is_swagger ? example
                               : lg_json_get(lg_refer(example, w->rest->document), LG_STR("value"));
}

// A plain 404, whatever the document has for that status: it is the preference that names nothing.
static void nothing_such(rest_writing *w, lg_str what, lg_buf *there)
{
    lg_str list = LG_STR("");
    w->oom = w->oom || !lg_rest_take(w->arena, there, &list);
    lg_str detail =
        lg_arena_printf(w->arena, "the document has no %.*s here; it has: %.*s",
                        LG_FMT(lg_str_cut(what, 120)), LG_FMT(list.len ? list : LG_STR("none")));
    w->oom = w->oom || !detail.ptr;
    lg_rest_call bare = *w->call;
    bare.operation = NULL;
    rest_writing plain = *w;
    plain.call = &bare;
    lg_rest_write_problem(&plain, 404, detail.ptr ? detail : LG_STR(""), NULL, 0);
    w->oom = plain.oom;
}

static void no_such_code(rest_writing *w, uint32_t code)
{
    lg_buf list;
    lg_buf_init(&list, 0);
    const lg_rest_operation *o = w->call->operation;
    for (size_t i = 0; i < o->reply_count; i++) {
        uint32_t known = o->replies[i].code;
        lg_buf_add_c(&list, i ? ", " : "");
        if (known == 0) {
            lg_buf_add_c(&list, "default");
        } else {
            lg_buf_addf(&list, known < 10 ? "%uXX" : "%u", known);
        }
    }
    lg_str what = lg_arena_printf(w->arena, "response %u", code);
    nothing_such(w, what.ptr ? what : LG_STR("response"), &list);
}

static void no_such_example(rest_writing *w, const rest_reply *reply)
{
    lg_buf list;
    lg_buf_init(&list, 0);
    for (size_t i = 0; i < reply->media_count; i++) {
        const lg_json *examples = examples_of(&reply->media[i]);
        for (size_t j = 0; j < lg_json_len(examples); j++) {
            lg_buf_addf(&list, "%s%.*s", list.len ? ", " : "",
                        LG_FMT(lg_json_key(lg_json_member_at(examples, j))));
        }
    }
    lg_str what = lg_arena_printf(w->arena, "example `%.*s`",
                                  LG_FMT(lg_str_cut(w->call->prefer.example, 80)));
    nothing_such(w, what.ptr ? what : LG_STR("example"), &list);
}

static const lg_json *static_example(const rest_writing *w, const rest_media *media)
{
    const lg_json *example = lg_json_get(media->source, LG_STR("example"));
    const lg_json *examples = examples_of(media);
    if (!example && examples) {
        const lg_json *named = w->rest->is_swagger ? lg_json_get(examples, media->name) : NULL;
        example = example_value(w, named ? named : &lg_json_member_at(examples, 0)->value);
    }
    return example;
}

static void write_forced(rest_writing *w, const rest_reply *reply)
{
    const lg_rest_preference *prefer = &w->call->prefer;
    bool none = false;
    const rest_media *media = lg_rest_choose_media(reply, w->call->accept, &none);
    if (prefer->example.len) {
        const lg_json *named = media ? lg_json_get(examples_of(media), prefer->example) : NULL;
        const lg_json *value = named ? example_value(w, named) : NULL;
        if (!value) {
            no_such_example(w, reply);
            return;
        }
        lg_rest_body(w, media, value);
        return;
    }
    if (none) {
        return;
    }
    if (!media) {
        lg_rest_write_problem(w, 406, LG_STR("this response is of no type that is accepted"), NULL,
                              0);
        return;
    }
    bool dynamic =
        prefer->has_dynamic ? prefer->dynamic : w->rest->options && w->rest->options->dynamic;
    const lg_json *value = dynamic ? NULL : static_example(w, media);
    if (!value) {
        value = lg_rest_make(w, media->compiled, (lg_synthesis_options){.made_up = dynamic});
    }
    if (value) {
        lg_rest_body(w, media, value);
    }
}

lg_status lg_rest_prefer(const lg_rest *rest, lg_arena *arena, const lg_rest_call *call,
                         uint64_t seed, lg_rest_response *ret_response)
{
    *ret_response = (lg_rest_response){.body = {"", 0}};
    rest_writing w = {.arena = arena,
                      .rest = rest,
                      .call = call,
                      .response = ret_response,
                      .seed = call->prefer.has_seed ? call->prefer.seed : seed};
    const lg_rest_operation *o = call->operation;
    uint32_t code = call->prefer.code;
    const rest_reply *reply = code                     ? lg_rest_reply_for(o, code, true)
                              : o->success == SIZE_MAX ? NULL
                                                       : &o->replies[o->success];
    if (!reply) {
        no_such_code(&w, code ? code : 200);
    } else {
        uint32_t own = reply->code >= 200 ? reply->code
                       : reply->code >= 2 ? reply->code * 100
                                          : 200;
        ret_response->status = code ? code : own;
        lg_rest_demanded_headers(&w, reply);
        write_forced(&w, reply);
    }
    lg_rest_finish(&w);
    return w.oom ? LG_ERR_OOM : LG_OK;
}
