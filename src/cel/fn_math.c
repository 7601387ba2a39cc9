// The math extension. Rounding is half away from zero; shifts are of the bits, without a sign.
#include "cel/cel_internal.h"

#include <math.h>

// The greatest (`sign` 1) or least (-1) of the arguments, or of the elements of the one list.
static lg_cel_value extreme(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count, int sign)
{
    bool of_list = count == 1 && args[0].kind == LG_CEL_LIST;
    size_t len = of_list ? lg_cel_len(args[0]) : count;
    lg_cel_value best = lg_cel_make_null();
    for (size_t i = 0; i < len && lg_cel_charge(vm, 1); i++) {
        lg_cel_value value = of_list ? lg_cel_item(args[0], i) : args[i];
        int order = 0;
        bool number = value.kind >= LG_CEL_INT && value.kind <= LG_CEL_DOUBLE;
        if (!number || (i > 0 && !lg_cel_order(vm, value, best, &order))) {
            return lg_cel_no_overload(vm);
        }
        best = i == 0 || (order != 2 && order * sign > 0) ? value : best;
    }
    return len > 0 ? best : lg_cel_fail(vm, LG_CEL_FAIL_RANGE, "no extreme of an empty list");
}

lg_cel_value lg_cel_fn_greatest(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    return extreme(vm, args, count, 1);
}

lg_cel_value lg_cel_fn_least(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    return extreme(vm, args, count, -1);
}

// --- Doubles ------------------------------------------------------------------------------------

#define OF_DOUBLE(name, result)                                                                    \
    lg_cel_value lg_cel_fn_##name(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)         \
    {                                                                                              \
        (void)count;                                                                               \
        double x = args[0].as.f64;                                                                 \
        return args[0].kind == LG_CEL_DOUBLE ? (result) : lg_cel_no_overload(vm);                  \
    }

OF_DOUBLE(ceil, lg_cel_make_double(ceil(x)))
OF_DOUBLE(floor, lg_cel_make_double(floor(x)))
OF_DOUBLE(round, lg_cel_make_double(round(x)))
OF_DOUBLE(trunc, lg_cel_make_double(trunc(x)))
OF_DOUBLE(is_nan, lg_cel_make_bool(isnan(x) != 0))
OF_DOUBLE(is_inf, lg_cel_make_bool(isinf(x) != 0))
OF_DOUBLE(is_finite, lg_cel_make_bool(isfinite(x) != 0))

lg_cel_value lg_cel_fn_sqrt(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    lg_cel_value a = args[0];
    if (a.kind < LG_CEL_INT || a.kind > LG_CEL_DOUBLE) {
        return lg_cel_no_overload(vm);
    }
    double x = a.kind == LG_CEL_DOUBLE ? a.as.f64
               : a.kind == LG_CEL_INT  ? (double)a.as.i64
                                       : (double)a.as.u64;
    return lg_cel_make_double(sqrt(x));
}

lg_cel_value lg_cel_fn_abs(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    lg_cel_value a = args[0];
    if (a.kind == LG_CEL_DOUBLE) {
        return lg_cel_make_double(fabs(a.as.f64));
    }
    if (a.kind == LG_CEL_INT && a.as.i64 < 0) {
        return lg_cel_negate(vm, a);
    }
    return a.kind == LG_CEL_INT || a.kind == LG_CEL_UINT ? a : lg_cel_no_overload(vm);
}

lg_cel_value lg_cel_fn_sign(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    lg_cel_value a = args[0];
    if (a.kind == LG_CEL_DOUBLE) {
        double x = a.as.f64;
        return lg_cel_make_double(x > 0 ? 1.0 : x < 0 ? -1.0 : x);
    }
    if (a.kind == LG_CEL_INT) {
        return lg_cel_make_int((a.as.i64 > 0) - (a.as.i64 < 0));
    }
    return a.kind == LG_CEL_UINT ? lg_cel_make_uint(a.as.u64 > 0) : lg_cel_no_overload(vm);
}

// --- Bits ---------------------------------------------------------------------------------------

static bool same_integers(const lg_cel_value *args)
{
    return args[0].kind == args[1].kind &&
           (args[0].kind == LG_CEL_INT || args[0].kind == LG_CEL_UINT);
}

// A value of the kind of `like` with these bits.
static lg_cel_value with_bits(lg_cel_value like, uint64_t bits)
{
    like.as.u64 = bits;
    return like;
}

#define OF_BITS(name, operator)                                                                    \
    lg_cel_value lg_cel_fn_bit_##name(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)     \
    {                                                                                              \
        (void)count;                                                                               \
        return same_integers(args) ? with_bits(args[0], args[0].as.u64 operator args[1].as.u64)    \
                                   : lg_cel_no_overload(vm);                                       \
    }

OF_BITS(and, &)
OF_BITS(or, |)
OF_BITS(xor, ^)

lg_cel_value lg_cel_fn_bit_not(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    return args[0].kind == LG_CEL_INT || args[0].kind == LG_CEL_UINT
               ? with_bits(args[0], ~args[0].as.u64)
               : lg_cel_no_overload(vm);
}

static lg_cel_value shift(lg_cel_vm *vm, const lg_cel_value *args, bool left)
{
    bool integer = args[0].kind == LG_CEL_INT || args[0].kind == LG_CEL_UINT;
    if (!integer || args[1].kind != LG_CEL_INT) {
        return lg_cel_no_overload(vm);
    }
    if (args[1].as.i64 < 0) {
        return lg_cel_fail(vm, LG_CEL_FAIL_RANGE, "a shift by less than zero");
    }
    if (args[1].as.i64 >= 64) {
        return with_bits(args[0], 0);
    }
    uint64_t by = (uint64_t)args[1].as.i64;
    return with_bits(args[0], left ? args[0].as.u64 << by : args[0].as.u64 >> by);
}

lg_cel_value lg_cel_fn_bit_left(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    return shift(vm, args, true);
}

lg_cel_value lg_cel_fn_bit_right(lg_cel_vm *vm, const lg_cel_value *args, uint32_t count)
{
    (void)count;
    return shift(vm, args, false);
}
