// version.c: which version of LedgerGate this is.
#include <ledgergate/ledgergate.h>

const char *lg_version(void)
{
    return LG_VERSION;
}
