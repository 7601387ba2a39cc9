// Package typed reads and compares CEL values written as JSON with their types, and reads types.
package typed

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// Object is a decoded JSON object whose numbers are still text.
type Object = map[string]any

// Decode reads one line.
func Decode(line []byte) (Object, error) {
	var out Object
	d := json.NewDecoder(strings.NewReader(string(line)))
	d.UseNumber()
	return out, d.Decode(&out)
}

// FromJSON gives plain JSON in the form that cel-go looks into fastest: Go maps and slices whose
// leaves are CEL values already. All numbers are doubles.
func FromJSON(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = FromJSON(e)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = FromJSON(e)
		}
		return out
	case json.Number:
		f, _ := v.Float64()
		return types.Double(f)
	case string:
		return types.String(v)
	case bool:
		return types.Bool(v)
	}
	return types.NullValue
}

func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}

func seconds(v any) (int64, int64) {
	o := v.(map[string]any)
	s, _ := strconv.ParseInt(text(o["seconds"]), 10, 64)
	n, _ := strconv.ParseInt(text(o["nanos"]), 10, 64)
	return s, n
}

// Value reads one typed value.
func Value(v any) (any, error) {
	o, ok := v.(map[string]any)
	if !ok || len(o) != 1 {
		return nil, fmt.Errorf("not a typed value: %v", v)
	}
	for kind, given := range o {
		switch kind {
		case "json":
			return FromJSON(given), nil
		case "null":
			return types.NullValue, nil
		case "bool":
			return types.Bool(given.(bool)), nil
		case "int":
			i, err := strconv.ParseInt(text(given), 10, 64)
			return types.Int(i), err
		case "uint":
			u, err := strconv.ParseUint(text(given), 10, 64)
			return types.Uint(u), err
		case "double":
			f, err := strconv.ParseFloat(text(given), 64)
			return types.Double(f), err
		case "string":
			return types.String(text(given)), nil
		case "bytes":
			b, err := base64.StdEncoding.DecodeString(text(given))
			return types.Bytes(b), err
		case "list":
			out := []any{}
			for _, e := range given.([]any) {
				item, err := Value(e)
				if err != nil {
					return nil, err
				}
				out = append(out, item)
			}
			return out, nil
		case "map":
			out := map[ref.Val]ref.Val{}
			for _, e := range given.([]any) {
				pair := e.([]any)
				key, err := Value(pair[0])
				if err != nil {
					return nil, err
				}
				value, err := Value(pair[1])
				if err != nil {
					return nil, err
				}
				out[key.(ref.Val)] = types.DefaultTypeAdapter.NativeToValue(value)
			}
			return out, nil
		case "timestamp":
			s, n := seconds(given)
			return types.Timestamp{Time: time.Unix(s, n).UTC()}, nil
		case "duration":
			s, n := seconds(given)
			return types.Duration{Duration: time.Duration(s)*time.Second + time.Duration(n)}, nil
		case "type":
			return types.NewObjectTypeValue(text(given)), nil
		}
	}
	return nil, fmt.Errorf("no such form: %v", v)
}

// Same compares strictly: by type and value, any NaN with any other.
func Same(a, b ref.Val) bool {
	if at, ok := a.(ref.Type); ok {
		bt, ok := b.(ref.Type)
		return ok && at.TypeName() == bt.TypeName()
	}
	switch x := a.(type) {
	case types.Double:
		y, ok := b.(types.Double)
		return ok && (math.IsNaN(float64(x)) && math.IsNaN(float64(y)) ||
			math.Float64bits(float64(x)) == math.Float64bits(float64(y)))
	case traits.Mapper:
		y, ok := b.(traits.Mapper)
		if !ok || x.Size() != y.Size() {
			return false
		}
		for it := x.Iterator(); it.HasNext() == types.True; {
			k := it.Next()
			found := false
			for jt := y.Iterator(); jt.HasNext() == types.True && !found; {
				l := jt.Next()
				found = Same(k, l) && Same(x.Get(k), y.Get(l))
			}
			if !found {
				return false
			}
		}
		return true
	case traits.Lister:
		y, ok := b.(traits.Lister)
		if !ok || x.Size() != y.Size() {
			return false
		}
		for i := types.Int(0); i < x.Size().(types.Int); i++ {
			if !Same(x.Get(i), y.Get(i)) {
				return false
			}
		}
		return true
	}
	return a.Type() == b.Type() && a.Equal(b) == types.True
}

// Type reads "map(string, wrapper(int))".
func Type(s string) *cel.Type {
	t, _ := readType(s)
	return t
}

func readType(s string) (*cel.Type, string) {
	end := strings.IndexAny(s, "(),")
	word := s
	if end >= 0 {
		word = s[:end]
	}
	rest := s[len(word):]
	if word == "param" {
		name := rest[1:strings.Index(rest, ")")]
		return cel.TypeParamType(name), rest[len(name)+2:]
	}
	var params []*cel.Type
	if strings.HasPrefix(rest, "(") {
		for !strings.HasPrefix(rest, ")") {
			var p *cel.Type
			p, rest = readType(strings.TrimLeft(rest[1:], " "))
			params = append(params, p)
		}
		rest = rest[1:]
	}
	switch word {
	case "list":
		return cel.ListType(params[0]), rest
	case "map":
		return cel.MapType(params[0], params[1]), rest
	case "wrapper":
		return cel.NullableType(params[0]), rest
	case "type":
		return types.NewTypeTypeWithParam(params[0]), rest
	case "optional_type":
		return cel.OptionalType(params[0]), rest
	}
	if t, ok := plain[word]; ok {
		return t, rest
	}
	return cel.OpaqueType(word, params...), rest
}

var plain = map[string]*cel.Type{
	"int": cel.IntType, "uint": cel.UintType, "double": cel.DoubleType, "bool": cel.BoolType,
	"string": cel.StringType, "bytes": cel.BytesType, "null_type": cel.NullType,
	"dyn": cel.DynType, "any": cel.AnyType, "timestamp": cel.TimestampType,
	"duration": cel.DurationType,
}
