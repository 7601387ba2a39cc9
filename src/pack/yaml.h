// yaml.h: YAML (or JSON) text to immutable values that know their place in the text.
#ifndef LG_PACK_YAML_H
#define LG_PACK_YAML_H

#include "json/json.h"

// Parses one YAML document into `arena`; a text that begins with `{` is read as strict JSON. Plain
// scalars follow JSON: null, true, false and JSON's numbers are what they look like, anything else
// is a string (so `yes` and `1.0.0` are strings). Anchors, aliases, tags and duplicate keys are
// refused. `text` must outlive the values; offsets count its bytes.
LG_NODISCARD lg_status lg_yaml_parse(lg_arena *arena, lg_str text, const char *file,
                                     const lg_limits *limits, const lg_json **ret_value,
                                     lg_error *reterr);

// The byte of `text` that byte `value_offset` of `scalar` came from. Follows folded, literal, plain
// and quoted scalars over their line breaks and doubled or escaped quotes.
size_t lg_yaml_locate(lg_str text, const lg_json *scalar, size_t value_offset);

#endif
