// targets.c: where something is put: `orders[args.order_id].status`.
//
// A target is matched with the declared places here, once, so that following it needs no search.
#include "pack/loader.h"

static bool is_star(lg_str s)
{
    return lg_str_eq(s, LG_STR("*"));
}

// The offset of the `]` that closes the `[` before `at`, minding brackets and quoted texts.
static size_t closing_bracket(lg_str text, size_t at)
{
    uint32_t depth = 1;
    char quote = 0;
    for (; at < text.len; at++) {
        char c = text.ptr[at];
        if (quote) {
            at += c == '\\';
            quote = c == quote ? 0 : quote;
        } else if (c == '\'' || c == '"') {
            quote = c;
        } else if (c == '[') {
            depth++;
        } else if (c == ']' && --depth == 0) {
            return at;
        }
    }
    return SIZE_MAX;
}

// `args.name` alone, for which a read can be suggested from a missing key.
static lg_str plain_argument(lg_str expression)
{
    lg_str trimmed = lg_str_trim(expression);
    lg_str prefix = LG_STR("args.");
    if (lg_str_starts(trimmed, prefix)) {
        lg_str name = lg_str_slice(trimmed, prefix.len, trimmed.len);
        if (loader_is_name(name)) {
            return name;
        }
    }
    return LG_STR("");
}

static bool read_key(loader *l, const lg_cel_env *env, const lg_json *scalar, size_t from,
                     size_t to, lg_target_segment *segment)
{
    segment->key = loader_compile(l, env, scalar, from, to);
    segment->argument = plain_argument(lg_str_slice(lg_json_str(scalar), from, to));
    return segment->key != NULL;
}

// `name(.name | [expression])*`; returns how many segments, or 0 after adding an error.
static uint32_t read_segments(loader *l, const lg_cel_env *env, const lg_json *scalar,
                              lg_target_segment segments[LG_PATH_SEGMENTS_MAX])
{
    lg_str text = lg_json_str(scalar);
    uint32_t count = 0;
    size_t at = 0;
    while (at < text.len && count < LG_PATH_SEGMENTS_MAX) {
        lg_target_segment *segment = &segments[count];
        if (count > 0 && text.ptr[at] == '[') {
            size_t close = closing_bracket(text, at + 1);
            if (close == SIZE_MAX || !read_key(l, env, scalar, at + 1, close, segment)) {
                if (close == SIZE_MAX) {
                    loader_error(l, scalar->offset, "`%.*s`: a `[` is not closed", LG_FMT(text));
                }
                return 0;
            }
            at = close + 1;
        } else {
            at += count > 0 && text.ptr[at] == '.';
            size_t from = at;
            while (at < text.len && text.ptr[at] != '.' && text.ptr[at] != '[') {
                at++;
            }
            segment->name = lg_str_slice(text, from, at);
            if (!loader_is_name(segment->name)) {
                break;
            }
        }
        count++;
    }
    if (at < text.len || count == 0) {
        loader_error(l, scalar->offset,
                     "`%.*s` is no path; write names and keys: orders[args.order_id]",
                     LG_FMT(text));
        return 0;
    }
    return count;
}

// The longest declared place that the segments begin with; with `allow_shorter`, also one that they
// are the beginning of.
static const lg_place *match_place(const lg_places *places, const lg_target_segment *segments,
                                   uint32_t count, bool allow_shorter)
{
    const lg_place *best = NULL;
    for (size_t i = 0; i < places->count; i++) {
        const lg_place *place = &places->items[i];
        uint32_t common = place->segment_count < count ? place->segment_count : count;
        bool fits = place->segment_count <= count || allow_shorter;
        for (uint32_t s = 0; fits && s < common; s++) {
            fits = is_star(place->segments[s])
                       ? true
                       : !segments[s].key && lg_str_eq(place->segments[s], segments[s].name);
        }
        if (fits && (!best || place->segment_count > best->segment_count)) {
            best = place;
        }
    }
    return best;
}

// --- Types --------------------------------------------------------------------------------------

static bool is_one_of(const lg_cel_program *key, lg_cel_kind a, lg_cel_kind b)
{
    lg_cel_kind kind = lg_cel_program_type(key)->kind;
    return kind == a || kind == b || kind == LG_CEL_DYN;
}

// The type that a segment leads to from a value of type `type`; NULL if there is no such place. A
// computed field of an object may be any of them.
static const lg_cel_type *type_of_segment(const lg_cel_type *type, const lg_target_segment *segment)
{
    bool text = !segment->key || is_one_of(segment->key, LG_CEL_STRING, LG_CEL_STRING);
    bool index = segment->key && is_one_of(segment->key, LG_CEL_INT, LG_CEL_DOUBLE);
    if (type->kind == LG_CEL_DYN) {
        return type;
    }
    if (type->kind == LG_CEL_LIST) {
        return index ? type->element : NULL;
    }
    if (type->kind == LG_CEL_MAP) {
        return text ? type->element : NULL;
    }
    if (type->kind != LG_CEL_OBJECT || !text) {
        return NULL;
    }
    const lg_cel_field *field = segment->key ? NULL : lg_cel_type_field(type, segment->name);
    return segment->key ? lg_cel_type_of_kind(LG_CEL_DYN) : field ? field->type : NULL;
}

static bool keys_are_texts(loader *l, const lg_json *scalar, const lg_target *target)
{
    for (uint32_t s = 0; s < target->place->segment_count && s < target->segment_count; s++) {
        const lg_cel_program *key = target->segments[s].key;
        if (key && !is_one_of(key, LG_CEL_STRING, LG_CEL_STRING)) {
            loader_error(l, scalar->offset, "the key `%.*s` must be a string",
                         LG_FMT(lg_cel_program_source(key)));
            return false;
        }
    }
    return true;
}

// The place that was meant, or what is wrong with the form of the path.
static void complain_about_place(loader *l, const lg_json *scalar, const lg_target *target,
                                 const lg_places *places, const char *section)
{
    lg_str first = target->segments[0].name;
    loader_names names = {.wanted = first};
    const lg_place *begun = match_place(places, target->segments, target->segment_count, true);
    for (size_t i = 0; i < places->count; i++) {
        loader_offer(&names, places->items[i].segments[0]);
    }
    if (places == &l->pack->state && loader_lacks_state(l, scalar->offset)) {
        return;
    }
    if (begun) {
        loader_error(l, scalar->offset, "`%.*s` is not a whole path of `%s`, such as `%.*s`",
                     LG_FMT(target->text), section, LG_FMT(begun->text));
    } else if (target->segment_count > 1 && lg_str_eq(first, lg_str_c(section))) {
        loader_error(l, scalar->offset,
                     "`%.*s` matches no path that `%s` declares: leave out `%s.`",
                     LG_FMT(target->text), section, section);
    } else {
        loader_error(l, scalar->offset, "`%.*s` matches no path that `%s` declares%s",
                     LG_FMT(target->text), section,
                     lg_str_eq(names.best, first) ? "" : loader_meant(l, &names));
    }
}

bool loader_read_target(loader *l, const lg_cel_env *env, const lg_json *scalar,
                        const lg_places *places, lg_target *target)
{
    const char *section = places == &l->pack->ledger ? "ledger" : "state";
    target->text = lg_json_str(scalar);
    target->segment_count = read_segments(l, env, scalar, target->segments);
    if (target->segment_count == 0) {
        return false;
    }
    target->place = match_place(places, target->segments, target->segment_count, false);
    if (!target->place) {
        complain_about_place(l, scalar, target, places, section);
        return false;
    }
    if (!keys_are_texts(l, scalar, target)) {
        return false;
    }
    target->type = target->place->type;
    for (uint32_t s = target->place->segment_count; s < target->segment_count; s++) {
        bool observed_whole = places == &l->pack->ledger && target->segments[s].key;
        const lg_cel_type *below =
            observed_whole ? NULL : type_of_segment(target->type, &target->segments[s]);
        if (!below) {
            loader_names names = {.wanted = target->segments[s].name};
            loader_offer_fields(&names, target->type);
            loader_error(l, scalar->offset, "`%.*s` names no field of `%.*s`%s",
                         LG_FMT(target->text), LG_FMT(target->place->text),
                         target->segments[s].key ? "" : loader_meant(l, &names));
            return false;
        }
        target->type = below;
    }
    return true;
}

void loader_check_fits(loader *l, const lg_json *at, const lg_cel_type *from, const lg_cel_type *to,
                       const char *holder)
{
    if (loader_assignable(from, to)) {
        return;
    }
    lg_buf text;
    lg_buf_init(&text, 0);
    lg_cel_type_print(&text, from);
    lg_buf_addf(&text, ", but the %s holds ", holder);
    lg_cel_type_print(&text, to);
    lg_buf_add_c(&text, " there");
    loader_error(l, at->offset, "`%.*s` would be given %.*s", LG_FMT(lg_json_str(at)),
                 LG_FMT(lg_buf_str(&text)));
    lg_buf_done(&text);
}
