// peer.mjs: the measures of bench_json.c and bench_schema.c, taken of JSON.parse and ajv.
//
//     node peer.mjs json INPUTS/json.json
//     node peer.mjs schema INPUTS/schema.json
//
// Run with build/peers/schema as the working folder: that is where ajv is found.
import {readFileSync} from "node:fs";
import {createRequire} from "node:module";

const require = createRequire(process.cwd() + "/");
const SAMPLES = 31;
const SAMPLE_NS = 8e6;
const WARM_UP_NS = 1e9; // the just-in-time compiler needs longer than a C program

let sink = 0; // results end up here, so that no work is optimised away

const now = () => Number(process.hrtime.bigint());

function repeat(work, rounds) {
    const start = now();
    for (let i = 0; i < rounds; i++) {
        sink += work() ? 1 : 0;
    }
    return now() - start;
}

function medianNs(work) {
    let rounds = 1;
    for (const begin = now(); now() - begin < WARM_UP_NS;) {
        rounds = repeat(work, rounds) < SAMPLE_NS ? rounds * 2 : rounds;
    }
    const samples = [];
    for (let i = 0; i < SAMPLES; i++) {
        samples.push(repeat(work, rounds) / rounds);
    }
    return samples.sort((a, b) => a - b)[SAMPLES >> 1];
}

function report(tool, what, input, work, units) {
    console.log(JSON.stringify({tool, what, input, ns: medianNs(work) / units}));
}

function measureJson(texts) {
    for (const {name, text} of texts) {
        report("JSON.parse", "parse", name, () => JSON.parse(text), 1);
    }
}

const mustHold = (holds) => {
    if (!holds) {
        throw new Error("an instance is not valid");
    }
    return holds;
};

// Formats off, as they are with us by default; one instance for many schemas, as its authors advise.
const newAjv = () => {
    const Ajv2020 = require("ajv/dist/2020").default;
    return new Ajv2020({strict: false, validateFormats: false, logger: false, addUsedSchema: false});
};

// Compilation has no steady state worth the name: an instance remembers every schema object it has
// seen. Each sample takes a fresh copy of all schemas and an instance that knows its meta-schema.
function medianCompileNs(schemas) {
    const samples = [];
    for (let i = 0; i < 9; i++) {
        const ajv = newAjv();
        ajv.compile({type: "string"});
        const copies = structuredClone(schemas);
        const start = now();
        let refused = 0;
        for (const schema of copies) {
            try {
                sink += ajv.compile(schema) ? 1 : 0;
            } catch (error) {
                refused++;
            }
        }
        samples.push((now() - start) / (copies.length - refused));
    }
    return samples.sort((a, b) => a - b)[samples.length >> 1];
}

function measureSchema(sets) {
    for (const {name, schemas, instances} of sets) {
        console.log(JSON.stringify(
            {tool: "ajv", what: "compile", input: name, ns: medianCompileNs(schemas)}));
        if (instances.length === 0) {
            continue;
        }
        const ajv = newAjv();
        const checks = schemas.map((schema) => ajv.compile(schema));
        const cases = instances.map(
            ({schema, text}) => ({check: checks[schema], text, value: JSON.parse(text)}));
        const validate = () => {
            for (const {check, value} of cases) {
                mustHold(check(value));
            }
            return true;
        };
        const parseAndValidate = () => {
            for (const {check, text} of cases) {
                mustHold(check(JSON.parse(text)));
            }
            return true;
        };
        report("ajv", "validate", name, validate, cases.length);
        report("JSON.parse and ajv", "parse and validate", name, parseAndValidate, cases.length);
    }
}

const [what, path] = process.argv.slice(2);
if (what === "once") {
    console.log(JSON.parse(readFileSync(path, "utf8")).length);
} else {
    const inputs = JSON.parse(readFileSync(path, "utf8"));
    (what === "json" ? measureJson : measureSchema)(inputs);
}
process.exitCode = sink < 0 ? 1 : 0;
