// place.c: in which line of its file a conversation begins, for whoever tells people.
//
// A search through all of the text for each conversation would take the square of a large file's length. So the ends of
// lines are counted once, a block at a time.
#include "trace/trace_internal.h"

enum { BLOCK_BYTES = 1 << 14 };

static uint32_t count_ends(lg_str text)
{
    uint32_t count = 0;
    for (size_t i = 0; i < text.len; i++) {
        count += text.ptr[i] == '\n';
    }
    return count;
}

static bool count_blocks(lg_importer *imp)
{
    lg_str text = imp->set->text;
    size_t blocks = text.len / BLOCK_BYTES + 1;
    uint32_t *before = LG_NEW_ARRAY(imp->arena, uint32_t, blocks);
    uint32_t count = 0;
    if (!before) {
        lg_importer_fail_oom(imp);
        return false;
    }
    for (size_t i = 0; i < blocks; i++) {
        before[i] = count;
        count += count_ends(lg_str_slice(text, i * BLOCK_BYTES, (i + 1) * BLOCK_BYTES));
    }
    imp->line_ends = before;
    return true;
}

uint32_t lg_importer_line(lg_importer *imp, uint32_t offset)
{
    lg_str text = imp->set->text;
    if (offset >= text.len || (!imp->line_ends && !count_blocks(imp))) {
        return 1;
    }
    size_t block = offset / BLOCK_BYTES;
    return 1 + imp->line_ends[block] + count_ends(lg_str_slice(text, block * BLOCK_BYTES, offset));
}
