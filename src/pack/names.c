// names.c: the name that was meant.
//
// An unknown name is most often a known one with a typing mistake. Who looks a name up offers all that
// there are, and the closest goes into the message.
#include "pack/loader.h"

void loader_offer(loader_names *names, lg_str name)
{
    // A quarter of the letters may be wrong, so that a short name is not taken for any other.
    uint32_t most = (uint32_t)(names->wanted.len < 64 ? names->wanted.len / 4 + 1 : 0);
    uint32_t distance = lg_str_distance(names->wanted, name);
    if (distance <= most && (names->best.len == 0 || distance < names->distance)) {
        names->best = name;
        names->distance = distance;
    }
}

void loader_offer_fields(loader_names *names, const lg_cel_type *type)
{
    for (size_t f = 0; type->kind == LG_CEL_OBJECT && f < type->field_count; f++) {
        loader_offer(names, type->fields[f].name);
    }
}

const char *loader_meant(loader *l, const loader_names *names)
{
    if (names->best.len == 0) {
        return "";
    }
    lg_str text = lg_arena_printf(l->arena, "; did you mean `%.*s`?", LG_FMT(names->best));
    return text.ptr ? text.ptr : "";
}
