// differential.mjs: random schemas and instances, judged by LedgerGate and by ajv.
//
//     node differential.mjs BENCH_SCHEMA_LINES [CASES [SEED]]
//
// Run with build/peers/schema as the working folder. A case is one schema and one instance; formats
// are off, half of the schemas are of draft 7. Where the two disagree, ajv is asked again in a way
// that rules one of its known deviations out (the table below, each with the sentence of the
// specification); only if it then agrees is the difference explained. Where nothing rules it out,
// jsonschema-rs has to agree with LedgerGate. Prints the sums as one JSON line, and shows unexplained
// cases; exit code 1 if there are any.
import {spawnSync} from "node:child_process";
import {createRequire} from "node:module";

const require = createRequire(process.cwd() + "/");
const Ajv7 = require("ajv").default;
const Ajv2020 = require("ajv/dist/2020").default;

const [driver, casesText, seedText] = process.argv.slice(2);
const CASES = Number(casesText ?? 1_000_000);
const INSTANCES = 20; // a schema
const BATCH = 500; // schemas for one run of the driver

// --- Chance ---------------------------------------------------------------------------------------

let state = Number(seedText ?? 1) >>> 0;

function random() { // mulberry32
    state = (state + 0x6D2B79F5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}

const below = (n) => Math.floor(random() * n);
const pick = (list) => list[below(list.length)];
const chance = (p) => random() < p;
const some = (most, make) => Array.from({length: below(most + 1)}, make);
const unique = (list) => [...new Set(list)];

// --- Values ---------------------------------------------------------------------------------------
// Few names, numbers and texts, so that they meet: most of a schema should matter to an instance.

const NAMES = ["a", "b", "c", "aa", "ab", "x-1", "long_property_name", "another_long_name", "é", "constructor"];
const TEXTS = ["", "a", "b", "ab", "aab", "abc", "é", "😀", "😀b", "0", "12", "123", "a-1", "A", "a b", "\n", "2024-01-01"];
// As text: a number written 1.0 is the same value as 1, and JSON.stringify would hide it.
const NUMBERS = ["0", "1", "2", "3", "-1", "-2", "10", "1.0", "2.0", "1.5", "0.5", "0.1", "0.3", "-0.0", "1e2", "4.2e1", "2.5e-1", "100", "9007199254740991", "-9007199254740991"];
const PATTERNS = ["^a", "b$", "^[a-z]+$", "^\\d{2}$", "^a?b*$", "a|b", "^(a|ab)c?$", "^.$", "^..?$", "[^a]", "^[^0-9]*$", "^\\w+-\\d$", "^$", "\\s", "^a{1,2}b", "^[0-9]{4}-[0-9]{2}-[0-9]{2}$", "^é$", "^\\S*$"];
const TYPES = ["null", "boolean", "integer", "number", "string", "array", "object"];

class Raw { // a number as it is to be written
    constructor(text) {
        this.text = text;
    }
}

function write(value) {
    if (value instanceof Raw) {
        return value.text;
    }
    if (Array.isArray(value)) {
        return `[${value.map(write).join(",")}]`;
    }
    if (value !== null && typeof value === "object") {
        return `{${Object.keys(value).map((key) => `${JSON.stringify(key)}:${write(value[key])}`).join(",")}}`;
    }
    return JSON.stringify(value);
}

const number = () => new Raw(pick(NUMBERS));

function scalar() {
    return [() => null, () => chance(0.5), number, number, () => pick(TEXTS), () => pick(TEXTS)][below(6)]();
}

function value(depth) {
    if (depth === 0 || chance(0.35)) {
        return scalar();
    }
    if (chance(0.45)) {
        return some(4, () => value(depth - 1));
    }
    return Object.fromEntries(some(4, () => [pick(NAMES), value(depth - 1)]));
}

// A value that has a chance to please `schema`.
function valueFor(schema, root, depth) {
    if (typeof schema !== "object" || depth === 0 || chance(0.12)) {
        return value(Math.min(depth, 2));
    }
    if (schema.$ref) {
        const path = schema.$ref.split("/").slice(1);
        return valueFor(path.reduce((at, key) => at?.[key], root) ?? {}, root, depth - 1);
    }
    if ("const" in schema || schema.enum?.length) {
        return "const" in schema ? schema.const : pick(schema.enum);
    }
    const deeper = [...schema.allOf ?? [], ...schema.anyOf ?? [], ...schema.oneOf ?? [], ...schema.then ? [schema.then] : []];
    if (deeper.length && chance(0.4)) {
        return valueFor(pick(deeper), root, depth - 1);
    }
    const types = schema.type ? [schema.type].flat() : [];
    const kind = types.length ? pick(types)
        : schema.properties || schema.required || schema.patternProperties || schema.unevaluatedProperties !== undefined ? "object"
        : schema.items !== undefined || schema.prefixItems || schema.contains !== undefined ? "array" : undefined;
    if (kind === "object") {
        const made = {};
        for (const name of unique([...schema.required ?? [], ...Object.keys(schema.properties ?? {}), ...some(2, () => pick(NAMES))])) {
            if (chance(0.75)) {
                made[name] = valueFor(schema.properties?.[name] ?? {}, root, depth - 1);
            }
        }
        return made;
    }
    if (kind === "array") {
        const first = schema.prefixItems ?? (Array.isArray(schema.items) ? schema.items : []);
        const rest = Array.isArray(schema.items) ? schema.additionalItems : schema.items;
        return [...first.map((s) => valueFor(s, root, depth - 1)),
            ...some(3, () => valueFor(chance(0.3) ? schema.contains ?? {} : rest ?? {}, root, depth - 1))];
    }
    return kind === "string" ? pick(TEXTS) : kind === "null" ? null : kind === "boolean" ? chance(0.5)
        : kind ? number() : value(2);
}

// --- Schemas --------------------------------------------------------------------------------------

function schemaMap(make, names = NAMES) {
    return Object.fromEntries(some(4, () => [pick(names), make()]));
}

// Each maker adds a keyword to `s`; `sub` makes a subschema one level deeper.
const MAKERS = [
    (s) => { s.type = chance(0.7) ? pick(TYPES) : unique(Array.from({length: 1 + below(3)}, () => pick(TYPES))); },
    (s) => { s.type = pick(TYPES); },
    (s) => { s.enum = unique(Array.from({length: 1 + below(4)}, () => JSON.stringify(JSON.parse(write(value(1)))))).map((text) => JSON.parse(text)); },
    (s) => { s.const = value(1); },
    (s) => { s[pick(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"])] = number(); },
    (s) => { s.multipleOf = new Raw(pick(["1", "2", "3", "1.0", "0.5", "0.1", "0.01", "10", "1.5"])); },
    (s) => { s[pick(["minLength", "maxLength"])] = new Raw(pick(["0", "1", "2", "2.0", "3"])); },
    (s) => { s.pattern = pick(PATTERNS); },
    (s) => { s[pick(["minItems", "maxItems"])] = below(4); },
    (s) => { s.uniqueItems = chance(0.9); },
    (s, sub) => { s.items = sub(); },
    (s, sub, draft) => {
        s[draft === 7 ? "items" : "prefixItems"] = [sub(), ...some(2, sub)];
        if (chance(0.6)) {
            s[draft === 7 ? "additionalItems" : "items"] = sub();
        }
    },
    (s, sub, draft) => {
        s.contains = sub();
        if (draft !== 7 && chance(0.5)) {
            s.minContains = below(3);
        }
        if (draft !== 7 && chance(0.4)) {
            s.maxContains = below(4);
        }
    },
    (s, sub) => { s.properties = schemaMap(sub); },
    (s, sub) => { s.properties = schemaMap(sub); },
    (s) => { s.required = unique(some(3, () => pick(NAMES))); },
    (s, sub) => { s.patternProperties = schemaMap(sub, PATTERNS); },
    (s, sub) => { s.additionalProperties = chance(0.5) ? false : sub(); },
    (s, sub) => { s.propertyNames = sub(); },
    (s) => { s[pick(["minProperties", "maxProperties"])] = below(4); },
    (s, sub, draft) => {
        const names = () => unique(some(2, () => pick(NAMES)));
        if (draft === 7) {
            s.dependencies = schemaMap(() => chance(0.5) ? names() : sub());
        } else if (chance(0.5)) {
            s.dependentRequired = schemaMap(names);
        } else {
            s.dependentSchemas = schemaMap(sub);
        }
    },
    (s, sub) => { s[pick(["allOf", "anyOf", "oneOf"])] = [sub(), ...some(2, sub)]; },
    (s, sub) => { s[pick(["anyOf", "oneOf"])] = [sub(), sub(), ...some(1, sub)]; },
    (s, sub) => { s.not = sub(); },
    (s, sub) => {
        s.if = sub();
        if (chance(0.8)) {
            s.then = sub();
        }
        if (chance(0.5)) {
            s.else = sub();
        }
    },
    (s, sub, draft) => { s.$ref = draft === 7 ? pick(["#/definitions/one", "#/definitions/two"]) : pick(["#/$defs/one", "#/$defs/two"]); },
    (s, sub, draft) => {
        if (draft !== 7) {
            s[pick(["unevaluatedProperties", "unevaluatedItems"])] = chance(0.7) ? false : sub();
        }
    },
];

// References are made where they cannot lead back without consuming input: not in what they point to.
function makeSchema(draft, depth, references) {
    if (depth === 0 || chance(0.05)) {
        return chance(0.3) ? chance(0.6) : {type: pick(TYPES)};
    }
    const s = {};
    const makers = references ? MAKERS : MAKERS.filter((maker) => !String(maker).includes("$ref"));
    for (let count = 1 + below(4); count > 0; count--) {
        pick(makers)(s, () => makeSchema(draft, depth - 1, references), draft);
    }
    // In draft 7 nothing counts beside a reference: now and then is enough.
    return draft === 7 && s.$ref && chance(0.9) ? {$ref: s.$ref} : s;
}

function makeCase() {
    const draft = chance(0.5) ? 7 : 2020;
    const made = makeSchema(draft, 3, true);
    const schema = draft === 7 && made.$ref ? {allOf: [made]} : made; // definitions may not stand beside it
    if (typeof schema === "object") {
        schema[draft === 7 ? "definitions" : "$defs"] = {one: makeSchema(draft, 2, false), two: makeSchema(draft, 1, false)};
    }
    const text = write(schema);
    const plain = JSON.parse(text);
    const instances = Array.from({length: INSTANCES}, () => write(chance(0.6) ? valueFor(plain, plain, 4) : value(3)));
    return {draft, text, instances};
}

// --- What ajv is known to do otherwise ------------------------------------------------------------

const isObject = (x) => x !== null && typeof x === "object" && !Array.isArray(x);

// Exact decimal division: a number is the integer of its digits and a power of ten.
function isMultiple(x, by) {
    const parts = (n) => {
        const [digits, exponent] = String(n).split("e");
        const [whole, fraction = ""] = digits.split(".");
        return [BigInt(whole + fraction), Number(exponent ?? 0) - fraction.length];
    };
    const [a, p] = parts(x);
    const [b, q] = parts(by);
    const least = Math.min(p, q);
    return a * 10n ** BigInt(p - least) % (b * 10n ** BigInt(q - least)) === 0n;
}

const clean = (object) => JSON.parse(JSON.stringify(object)); // without members that are undefined

// `schema` with `mend` applied to it and to all objects in it, which suffices for schemas that hold no
// schema-like data.
function everywhere(schema, mend) {
    if (Array.isArray(schema)) {
        return schema.map((item) => everywhere(item, mend));
    }
    if (!isObject(schema)) {
        return schema;
    }
    const copy = Object.fromEntries(Object.entries(schema).map(([key, item]) =>
        [key, key === "const" || key === "enum" ? item : everywhere(item, mend)]));
    return mend(copy);
}

const DEVIATIONS = [
    {
        name: "keywords beside $ref in draft 7",
        sentence: "JSON Schema draft 7 core, 8.3: \"All other properties in a \\\"$ref\\\" object MUST be ignored.\"",
        mend: (schema, draft) => draft !== 7 ? schema : everywhere(schema, (s) => typeof s.$ref === "string"
            ? {$ref: s.$ref, ...s.definitions ? {definitions: s.definitions} : {}} : s),
    },
    {
        name: "multipleOf computed in binary fractions",
        sentence: "Validation, 6.2.1: valid \"if division by this keyword's value results in an integer\"; 0.3 divided by 0.1 is 3.",
        prepare: (ajv) => ajv.removeKeyword("multipleOf").addKeyword({
            keyword: "multipleOf", type: "number", schemaType: "number", validate: (by, x) => isMultiple(x, by)}),
    },
    {
        name: "inherited names count as members",
        sentence: "Validation, 6.5.3: valid \"if every item in the array is the name of a property in the instance\"; `constructor` is not one of {}.",
        // Under a name of the same length that matches the same patterns and is nobody's heirloom.
        rename: (text) => text.replaceAll('"constructor"', '"constructed"'),
    },
    {
        name: "contains beside other keywords of arrays reads their result",
        sentence: "Validation draft 7, 6.4.6: valid \"if at least one of its elements is valid against the given schema\", whatever else is asked of them.",
        mend: (schema) => everywhere(schema, ({contains, minContains, maxContains, ...others}) => contains === undefined ? clean({...others, minContains, maxContains})
            : {...others, allOf: [...others.allOf ?? [], {minItems: (minContains ?? 1) > 0 ? 1 : 0, ...clean({contains, minContains, maxContains})}]}),
    },
    {
        name: "if without then and else is not evaluated",
        sentence: "Core 2020-12, 10.2.2.1: annotations are collected from `if` \"in the usual way, including when the keyword is present without either \\\"then\\\" or \\\"else\\\"\".",
        mend: (schema, draft) => draft === 7 ? schema : everywhere(schema, (s) => "if" in s && !("then" in s) && !("else" in s)
            ? {...s, then: true} : s),
    },
    {
        name: "minContains above maxContains refuses what is no array",
        sentence: "Core 2020-12, 7.6.1: \"most assertions only constrain values of a certain primitive type. When the type of the instance is not of the type targeted by the keyword, the instance is considered to conform to the assertion.\"",
        mend: (schema) => everywhere(schema, (s) => s.contains !== undefined && (s.minContains ?? 1) > (s.maxContains ?? Infinity)
            ? clean({...s, minContains: undefined, maxContains: undefined, allOf: [...s.allOf ?? [], {not: {type: "array"}}]}) : s),
    },
];

// What no option and no other wording of the schema rules out. Then jsonschema-rs decides.
const BEYOND_MENDING = [
    {
        name: "contains does not count for unevaluatedItems",
        sentence: "Core 2020-12, 11.2: the behaviour of unevaluatedItems \"depends on the annotation results of adjacent keywords\", `contains` among them.",
        applies: (text) => text.includes('"unevaluatedItems"') && text.includes('"contains"'),
    },
    {
        name: "what a failed subschema evaluated counts for unevaluated...",
        sentence: "Core 2020-12, 7.7.1.2: \"Schema objects that produce a false assertion result MUST NOT produce any annotation results, whether from their own keywords or from keywords in subschemas.\"",
        applies: (text) => text.includes('"unevaluated') && /"(if|anyOf|oneOf|not)"/.test(text),
    },
    {
        name: "ajv's validator throws",
        sentence: "The generated code reads a variable that it has not set: there is no verdict.",
        applies: (text, theirs) => theirs === "!",
    },
];

// --- Asking ajv -----------------------------------------------------------------------------------

const makeAjv = (draft, options) => new (draft === 7 ? Ajv7 : Ajv2020)(
    {strict: false, validateFormats: false, logger: false, addUsedSchema: false, ...options});

// An instance keeps what it compiled: a fresh one now and then.
let shared = {};
let sharedUses = 0;

function ajvFor(draft) {
    if (++sharedUses % 2000 === 0) {
        shared = {};
    }
    return shared[draft] ??= makeAjv(draft, {});
}

function judge(ajv, schema, instances) {
    try {
        const check = ajv.compile(schema);
        return instances.map((text) => {
            try {
                return check(JSON.parse(text)) ? "1" : "0";
            } catch {
                return "!";
            }
        }).join("");
    } catch (error) {
        return `error: ${error.message}`;
    }
}

// Instances that ajv has been told to mend, kept for some while: making one takes longer than a case.
let mended = new Map();

function mendedAjv(draft, rules) {
    const key = `${draft}: ${rules.map((rule) => rule.name).join()}`;
    mended = mended.size > 100 ? new Map() : mended;
    const kept = mended.get(key);
    if (kept && kept.uses++ < 500) {
        return kept.ajv;
    }
    const ajv = makeAjv(draft, {});
    rules.forEach((rule) => rule.prepare?.(ajv));
    mended.set(key, {ajv, uses: 0});
    return ajv;
}

// The deviation that explains why ajv's verdict of `instance` is not `ours`: alone if one suffices,
// else all of them together.
function explain({draft, text, instances}, index, ours) {
    const agrees = (rules) => {
        const renamed = (json) => rules.reduce((t, rule) => rule.rename?.(t) ?? t, json);
        const schema = rules.reduce((s, rule) => rule.mend?.(s, draft) ?? s, JSON.parse(renamed(text)));
        return judge(mendedAjv(draft, rules), schema, [renamed(instances[index])]) === ours;
    };
    const alone = DEVIATIONS.find((rule) => agrees([rule]));
    return alone ? alone.name : agrees(DEVIATIONS) ? "several of these" : undefined;
}

// The third opinion. One process each: it is seldom asked.
function askThird({draft, text, instances}, index, ours, theirs) {
    const rule = BEYOND_MENDING.find(({applies}) => applies(text, theirs));
    if (!rule) {
        return undefined;
    }
    const input = `{"draft":${draft},"schema":${text},"instances":[${instances[index]}]}\n`;
    const script = new URL("third.py", import.meta.url).pathname;
    const run = spawnSync("venv/bin/python", ["-B", script], {input, encoding: "utf8"});
    return run.stdout.trim() === ours ? rule.name : undefined;
}

// --- The run --------------------------------------------------------------------------------------

const sums = {cases: 0, schemas: 0, valid: 0, refused_by_both: 0, unexplained: 0, explained: {}};

function compare(one, ours) {
    const theirs = judge(ajvFor(one.draft), JSON.parse(one.text), one.instances);
    sums.schemas++;
    sums.cases += one.instances.length;
    if (ours.startsWith("error") || theirs.startsWith("error")) {
        if (ours.startsWith("error") && theirs.startsWith("error")) {
            sums.refused_by_both++;
        } else {
            report(one, -1, ours, theirs);
        }
        return;
    }
    for (let i = 0; i < ours.length; i++) {
        sums.valid += ours[i] === "1" ? 1 : 0;
        if (ours[i] === theirs[i]) {
            continue;
        }
        const why = explain(one, i, ours[i]) ?? askThird(one, i, ours[i], theirs[i]);
        if (why) {
            sums.explained[why] = (sums.explained[why] ?? 0) + 1;
        } else {
            report(one, i, ours[i], theirs[i]);
        }
    }
}

function report(one, index, ours, theirs) {
    sums.unexplained++;
    if (sums.unexplained <= 10) {
        console.error(`draft ${one.draft}: ledgergate ${ours}, ajv ${theirs}\n  ${one.text}\n  ${one.instances[index] ?? ""}`);
    }
}

while (sums.cases < CASES) {
    const batch = Array.from({length: BATCH}, makeCase);
    const input = batch.map(({draft, text, instances}) =>
        `{"draft":${draft},"schema":${text},"instances":[${instances.join(",")}]}\n`).join("");
    const run = spawnSync(driver, {input, encoding: "utf8", maxBuffer: 1 << 28});
    const lines = run.stdout.split("\n");
    if (run.status !== 0 || lines.length !== BATCH + 1) {
        throw new Error(`the driver stopped: ${run.stderr}`);
    }
    batch.forEach((one, i) => compare(one, lines[i]));
}
console.log(JSON.stringify({seed: Number(seedText ?? 1), ...sums}));
process.exitCode = sums.unexplained ? 1 : 0;
