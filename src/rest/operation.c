// operation.c: what HTTP needs to know of an operation beside its tool.
#include "rest/rest_internal.h"

// --- Parameters ---------------------------------------------------------------------------------

static const char *word_of_place(lg_argument_place place)
{
    return place == LG_PLACE_MEMBER ? "formData" : lg_argument_place_name(place);
}

static const lg_json *find_in(const lg_rest *rest, const lg_json *list,
                              const lg_catalogue_argument *argument)
{
    for (size_t i = 0; lg_json_is(list, LG_JSON_ARRAY) && i < lg_json_len(list); i++) {
        const lg_json *parameter = lg_refer(&list->as.items[i], rest->document);
        if (lg_str_eq(rest_member_str(parameter, "name"), argument->key) &&
            lg_str_eq(rest_member_str(parameter, "in"), lg_str_c(word_of_place(argument->place)))) {
            return parameter;
        }
    }
    return NULL;
}

// Swagger 2.0 has a word for what style and explode say together.
static void collection_style(const lg_json *source, rest_parameter *p)
{
    static const struct {
        const char *word;
        rest_style style;
    } words[] = {{"ssv", REST_SPACE}, {"tsv", REST_TAB}, {"pipes", REST_PIPE}};
    lg_str format = rest_member_str(source, "collectionFormat");
    p->explode = lg_str_eq(format, LG_STR("multi"));
    for (size_t i = 0; i < LG_COUNT(words); i++) {
        p->style = lg_str_eq(format, lg_str_c(words[i].word)) ? words[i].style : p->style;
    }
}

static void named_style(const lg_json *source, rest_parameter *p)
{
    static const struct {
        const char *word;
        rest_style style;
    } words[] = {{"simple", REST_SIMPLE},        {"label", REST_LABEL},
                 {"matrix", REST_MATRIX},        {"form", REST_FORM_STYLE},
                 {"spaceDelimited", REST_SPACE}, {"pipeDelimited", REST_PIPE},
                 {"deepObject", REST_DEEP}};
    lg_str style = rest_member_str(source, "style");
    for (size_t i = 0; i < LG_COUNT(words); i++) {
        p->style = lg_str_eq(style, lg_str_c(words[i].word)) ? words[i].style : p->style;
    }
    const lg_json *explode = lg_json_get(source, LG_STR("explode"));
    p->explode = lg_json_is(explode, LG_JSON_BOOL)
                     ? explode->as.boolean
                     : p->style == REST_FORM_STYLE || p->style == REST_DEEP;
}

static rest_parameter read_parameter(const lg_rest *rest, const lg_catalogue_tool *tool,
                                     const lg_json *item, const lg_json *encoding,
                                     const lg_catalogue_argument *argument)
{
    rest_parameter p = {.argument = argument,
                        .types = lg_rest_types(argument->schema, rest->document)};
    bool in_path = argument->place == LG_PLACE_PATH || argument->place == LG_PLACE_HEADER;
    p.style = in_path ? REST_SIMPLE : REST_FORM_STYLE;
    const lg_json *source =
        find_in(rest, lg_json_get(tool->source, LG_STR("parameters")), argument);
    source = source ? source : find_in(rest, lg_json_get(item, LG_STR("parameters")), argument);
    if (argument->place == LG_PLACE_MEMBER && !source) {
        source = lg_json_get(encoding, argument->key);
    }
    if (lg_json_get(source, LG_STR("content"))) {
        p.style = REST_CONTENT;
    } else if (rest->is_swagger) {
        collection_style(source, &p);
    } else {
        named_style(source, &p);
    }
    return p;
}

// --- The body -----------------------------------------------------------------------------------

static bool list_media(lg_arena *arena, const lg_json *content, rest_media **ret, size_t *ret_count)
{
    size_t count = lg_json_is(content, LG_JSON_OBJECT) ? lg_json_len(content) : 0;
    rest_media *list = LG_NEW_ARRAY(arena, rest_media, count + 1);
    for (size_t i = 0; list && i < count; i++) {
        const lg_json_member *member = lg_json_member_at(content, i);
        list[i] = (rest_media){.name = lg_json_key(member),
                               .kind = lg_rest_media_kind(lg_json_key(member)),
                               .source = &member->value,
                               .schema = lg_json_get(&member->value, LG_STR("schema"))};
    }
    *ret = list;
    *ret_count = count;
    return list != NULL;
}

// Swagger 2.0: the parameter with the body, or those of a form, and `consumes`.
static bool read_swagger_body(lg_arena *arena, const lg_rest *rest, lg_rest_operation *o)
{
    const lg_catalogue_tool *tool = o->tool;
    const lg_json *consumes = lg_json_get(tool->source, LG_STR("consumes"));
    consumes = consumes ? consumes : lg_json_get(rest->document, LG_STR("consumes"));
    size_t count = lg_json_is(consumes, LG_JSON_ARRAY) ? lg_json_len(consumes) : 0;
    o->bodies = LG_NEW_ARRAY(arena, rest_media, count + 1);
    for (size_t i = 0; o->bodies && i < count; i++) {
        lg_str name = lg_json_str(&consumes->as.items[i]);
        o->bodies[i] = (rest_media){.name = name, .kind = lg_rest_media_kind(name)};
    }
    if (o->bodies && count == 0 && tool->media.len) {
        o->bodies[count++] =
            (rest_media){.name = tool->media, .kind = lg_rest_media_kind(tool->media)};
    }
    o->body_count = tool->media.len ? count : 0;
    const lg_json *parameters = lg_json_get(tool->source, LG_STR("parameters"));
    for (size_t i = 0; lg_json_is(parameters, LG_JSON_ARRAY) && i < lg_json_len(parameters); i++) {
        const lg_json *parameter = lg_refer(&parameters->as.items[i], rest->document);
        if (lg_str_eq(rest_member_str(parameter, "in"), LG_STR("body"))) {
            const lg_json *schema =
                lg_refer(lg_json_get(parameter, LG_STR("schema")), rest->document);
            const lg_json *more = lg_json_get(schema, LG_STR("additionalProperties"));
            o->body_closed = lg_json_is(more, LG_JSON_BOOL) && !more->as.boolean;
            o->body_required = lg_json_is_true(lg_json_get(parameter, LG_STR("required")));
        }
    }
    return o->bodies != NULL;
}

static const rest_media *tools_media(const lg_rest_operation *o)
{
    for (size_t i = 0; i < o->body_count; i++) {
        if (lg_str_eq(o->bodies[i].name, o->tool->media)) {
            return &o->bodies[i];
        }
    }
    return NULL;
}

// Members alone do not say that it is an object: without a `type` it may be anything.
static bool allows_any(const lg_json *schema)
{
    static const char *const words[] = {"type", "allOf", "anyOf", "oneOf", "enum", "const"};
    bool open = lg_json_is(schema, LG_JSON_OBJECT);
    for (size_t i = 0; open && i < LG_COUNT(words); i++) {
        open = !lg_json_get(schema, lg_str_c(words[i]));
    }
    return open;
}

static bool read_body(lg_arena *arena, const lg_rest *rest, lg_rest_operation *o)
{
    if (rest->is_swagger) {
        return read_swagger_body(arena, rest, o);
    }
    const lg_json *given = lg_json_get(o->tool->source, LG_STR("requestBody"));
    const lg_json *body = given ? lg_refer(given, rest->document) : NULL;
    if (!list_media(arena, lg_json_get(body, LG_STR("content")), &o->bodies, &o->body_count)) {
        return false;
    }
    o->body_required = lg_json_is_true(lg_json_get(body, LG_STR("required")));
    const rest_media *media = tools_media(o);
    const lg_json *schema = media && media->schema ? lg_refer(media->schema, rest->document) : NULL;
    const lg_json *more = lg_json_get(schema, LG_STR("additionalProperties"));
    o->body_closed = lg_json_is(more, LG_JSON_BOOL) && !more->as.boolean;
    o->body_may_be_any = schema && allows_any(schema);
    o->body_may_be_null = lg_json_is_true(lg_json_get(schema, LG_STR("nullable")));
    return true;
}

// --- Responses ----------------------------------------------------------------------------------

// "404", "4XX", "default".
static bool code_of(lg_str key, uint32_t *ret)
{
    if (lg_str_eq(key, LG_STR("default"))) {
        *ret = 0;
        return true;
    }
    bool first = key.len == 3 && key.ptr[0] >= '1' && key.ptr[0] <= '5';
    if (first && lg_lower(key.ptr[1]) == 'x' && lg_lower(key.ptr[2]) == 'x') {
        *ret = (uint32_t)(key.ptr[0] - '0');
        return true;
    }
    *ret = 0;
    for (size_t i = 0; first && i < 3; i++) {
        first = lg_is_digit(key.ptr[i]);
        *ret = *ret * 10 + (uint32_t)(key.ptr[i] - '0');
    }
    return first;
}

static bool swagger_media(lg_arena *arena, const lg_rest *rest, const lg_rest_operation *o,
                          rest_reply *reply)
{
    const lg_json *schema = lg_json_get(reply->source, LG_STR("schema"));
    const lg_json *produces = lg_json_get(o->tool->source, LG_STR("produces"));
    produces = produces ? produces : lg_json_get(rest->document, LG_STR("produces"));
    size_t count = lg_json_is(produces, LG_JSON_ARRAY) ? lg_json_len(produces) : 0;
    reply->media = LG_NEW_ARRAY(arena, rest_media, count + 1);
    reply->media_count = schema ? (count ? count : 1) : 0;
    for (size_t i = 0; reply->media && i < reply->media_count; i++) {
        lg_str name = count ? lg_json_str(&produces->as.items[i]) : LG_STR("application/json");
        reply->media[i] = (rest_media){.name = name,
                                       .kind = lg_rest_media_kind(name),
                                       .source = reply->source,
                                       .schema = schema};
    }
    return reply->media != NULL;
}

// How well a reply suits a call that went well; the lowest wins.
static uint32_t success_rank(const lg_rest_operation *o, const rest_reply *reply)
{
    uint32_t code = reply->code < 10 ? reply->code * 100 + 99 : reply->code;
    if (reply->code == 0) {
        return 300; // after every 2xx, before what sends elsewhere
    }
    if (code >= 400 || code < 200) {
        return UINT32_MAX;
    }
    for (size_t i = 0; o->tool->result && i < reply->media_count && code < 300; i++) {
        if (reply->media[i].schema == o->tool->result) {
            return code - 200; // what the tool returns is what this reply holds
        }
    }
    return code < 300 ? code - 100 : code + 1;
}

static bool read_replies(lg_arena *arena, const lg_rest *rest, lg_rest_operation *o)
{
    const lg_json *responses = lg_json_get(o->tool->source, LG_STR("responses"));
    size_t count = lg_json_is(responses, LG_JSON_OBJECT) ? lg_json_len(responses) : 0;
    o->replies = LG_NEW_ARRAY(arena, rest_reply, count + 1);
    o->success = SIZE_MAX;
    uint32_t best = UINT32_MAX;
    for (size_t i = 0; o->replies && i < count; i++) {
        const lg_json_member *member = lg_json_member_at(responses, i);
        rest_reply *reply = &o->replies[o->reply_count];
        if (!code_of(lg_json_key(member), &reply->code)) {
            continue;
        }
        reply->source = lg_refer(&member->value, rest->document);
        bool ok = rest->is_swagger
                      ? swagger_media(arena, rest, o, reply)
                      : list_media(arena, lg_json_get(reply->source, LG_STR("content")),
                                   &reply->media, &reply->media_count);
        if (!ok) {
            return false;
        }
        uint32_t rank = success_rank(o, reply);
        o->success = rank < best ? o->reply_count : o->success;
        best = rank < best ? rank : best;
        o->reply_count++;
    }
    return o->replies != NULL;
}

const rest_reply *lg_rest_reply_for(const lg_rest_operation *operation, uint32_t status,
                                    bool with_default)
{
    const rest_reply *found = NULL;
    for (size_t i = 0; operation && i < operation->reply_count; i++) {
        const rest_reply *reply = &operation->replies[i];
        if (reply->code == status) {
            return reply;
        }
        if (reply->code == status / 100 || (reply->code == 0 && with_default && !found)) {
            found = reply;
        }
    }
    return found;
}

// OpenAPI says that parameters of these names are ignored; who demands one means it all the same.
static void read_demanded(const lg_rest *rest, const lg_json *list, lg_rest_operation *o)
{
    static const char *const names[] = {"accept", "content-type", "authorization"};
    for (size_t i = 0; lg_json_is(list, LG_JSON_ARRAY) && i < lg_json_len(list); i++) {
        const lg_json *parameter = lg_refer(&list->as.items[i], rest->document);
        lg_str name = rest_member_str(parameter, "name");
        bool demanded = lg_json_is_true(lg_json_get(parameter, LG_STR("required"))) &&
                        lg_str_eq(rest_member_str(parameter, "in"), LG_STR("header"));
        bool known = false;
        for (size_t j = 0; j < LG_COUNT(names); j++) {
            known = known || lg_str_eq_any_case(name, lg_str_c(names[j]));
        }
        bool unasked =
            rest->options->without_security && lg_str_eq_any_case(name, LG_STR("authorization"));
        if (demanded && known && !unasked && o->demanded_count < LG_COUNT(o->demanded)) {
            o->demanded[o->demanded_count++] = name;
        }
    }
}

// --- The operation ------------------------------------------------------------------------------

static size_t path_argument(const lg_rest_operation *o, lg_str key)
{
    for (size_t i = 0; i < o->tool->list_count; i++) {
        const lg_catalogue_argument *a = &o->tool->list[i];
        if (a->place == LG_PLACE_PATH && lg_str_eq(a->key, key)) {
            return i;
        }
    }
    return SIZE_MAX;
}

static bool find_fixed(lg_arena *arena, lg_rest_operation *o)
{
    lg_str path = o->tool->path;
    size_t mark = lg_str_find(path, LG_STR("?"));
    if (mark == SIZE_MAX) {
        return true;
    }
    lg_str query = lg_str_slice(path, mark + 1, path.len);
    o->fixed = LG_NEW_ARRAY(arena, rest_fixed, LG_REST_PATH_VALUES_MAX);
    for (size_t at = 0; o->fixed && at < query.len && o->fixed_count < LG_REST_PATH_VALUES_MAX;) {
        lg_str rest = lg_str_slice(query, at, query.len);
        size_t and = lg_str_find(rest, LG_STR("&"));
        lg_str pair = lg_str_slice(rest, 0, and);
        size_t equals = lg_str_find(pair, LG_STR("="));
        lg_str value = equals == SIZE_MAX ? LG_STR("") : lg_str_slice(pair, equals + 1, pair.len);
        bool braces = lg_str_starts(value, LG_STR("{")) && lg_str_ends(value, LG_STR("}"));
        o->fixed[o->fixed_count++] = (rest_fixed){
            .key = lg_str_slice(pair, 0, equals),
            .literal = value,
            .argument =
                braces ? path_argument(o, lg_str_slice(value, 1, value.len - 1)) : SIZE_MAX};
        at = and == SIZE_MAX ? query.len : at + and+1;
    }
    return o->fixed != NULL;
}

static bool find_braces(lg_arena *arena, lg_rest_operation *o)
{
    lg_str path = lg_str_slice(o->tool->path, 0, lg_str_find(o->tool->path, LG_STR("?")));
    o->braces = LG_NEW_ARRAY(arena, size_t, LG_REST_PATH_VALUES_MAX);
    for (size_t at = 0; o->braces && at < path.len && o->brace_count < LG_REST_PATH_VALUES_MAX;) {
        size_t open = lg_str_find(lg_str_slice(path, at, path.len), LG_STR("{"));
        size_t from = open == SIZE_MAX ? path.len : at + open + 1;
        size_t close = lg_str_find(lg_str_slice(path, from, path.len), LG_STR("}"));
        if (from >= path.len || close == SIZE_MAX) {
            break;
        }
        lg_str key = lg_str_slice(path, from, from + close);
        o->braces[o->brace_count++] = path_argument(o, key);
        at = from + close + 1;
    }
    return o->braces != NULL;
}

bool lg_rest_read_operation(lg_arena *arena, const lg_rest *rest, const lg_catalogue_tool *tool,
                            lg_rest_operation *ret)
{
    *ret = (lg_rest_operation){.rest = rest, .tool = tool};
    const lg_json *paths = lg_json_get(rest->document, LG_STR("paths"));
    const lg_json *path = lg_json_get(paths, tool->path);
    const lg_json *item = path ? lg_refer(path, rest->document) : NULL;
    ret->parameters = LG_NEW_ARRAY(arena, rest_parameter, tool->list_count + 1);
    if (!ret->parameters || !read_body(arena, rest, ret)) {
        return false;
    }
    if (!rest->is_swagger) {
        read_demanded(rest, lg_json_get(tool->source, LG_STR("parameters")), ret);
        read_demanded(rest, lg_json_get(item, LG_STR("parameters")), ret);
    }
    const rest_media *media = tools_media(ret);
    const lg_json *encoding = media ? lg_json_get(media->source, LG_STR("encoding")) : NULL;
    for (size_t i = 0; i < tool->list_count; i++) {
        ret->parameters[i] = read_parameter(rest, tool, item, encoding, &tool->list[i]);
        ret->has_members = ret->has_members || tool->list[i].place == LG_PLACE_MEMBER;
    }
    // A plain object of which no member is for requests has none among the arguments, nor is it one of them.
    bool whole = false;
    for (size_t i = 0; i < tool->list_count; i++) {
        whole = whole || tool->list[i].place == LG_PLACE_BODY;
    }
    ret->has_members = ret->has_members || (tool->media.len && !whole);
    return find_braces(arena, ret) && find_fixed(arena, ret) && read_replies(arena, rest, ret) &&
           lg_rest_read_security(arena, rest, ret);
}
