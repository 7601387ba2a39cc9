// conformance.mjs: the JSON Schema Test Suite run by ajv, and JSONTestSuite by JSON.parse.
//
//     node conformance.mjs DATA        (with build/peers/schema as the working folder)
//
// Run as our own runners do it: the remote documents are registered, formats are asserted in
// optional/format alone. Prints {tool: {part: [passed, failed]}}; a schema that is refused fails all
// its tests.
import {readFileSync, readdirSync, statSync} from "node:fs";
import {createRequire} from "node:module";

const require = createRequire(process.cwd() + "/");
const data = process.argv[2];
const suite = `${data}/json-schema-test-suite`;
const read = (path) => JSON.parse(readFileSync(path, "utf8"));

function* files(folder) {
    for (const name of readdirSync(folder).sort()) {
        const path = `${folder}/${name}`;
        if (statSync(path).isDirectory()) {
            yield* files(path);
        } else {
            yield path;
        }
    }
}

function makeAjv(draft, formats) {
    const Ajv = require(draft === "draft7" ? "ajv" : "ajv/dist/2020").default;
    const ajv = new Ajv({strict: false, logger: false, validateFormats: formats});
    if (formats) {
        require("ajv-formats").default(ajv);
    }
    for (const path of files(`${suite}/remotes`)) {
        const below = path.slice(`${suite}/remotes/`.length);
        if (!below.startsWith("draft") || below.startsWith(`${draft}/`)) {
            try {
                ajv.addSchema(read(path), `http://localhost:1234/${below}`);
            } catch {
                // It cannot read this document; the tests that need it fail.
            }
        }
    }
    return ajv;
}

function runGroup(draft, formats, group) {
    try {
        const check = makeAjv(draft, formats).compile(group.schema);
        return group.tests.filter((test) => {
            try {
                return check(test.data) === test.valid;
            } catch {
                return false;
            }
        }).length;
    } catch {
        return 0;
    }
}

function runPart(draft, part) {
    let passed = 0;
    let total = 0;
    const folder = `${suite}/tests/${draft}${part && `/${part}`}`;
    for (const name of readdirSync(folder).filter((file) => file.endsWith(".json"))) {
        for (const group of read(`${folder}/${name}`)) {
            passed += runGroup(draft, part === "optional/format", group);
            total += group.tests.length;
        }
    }
    return [passed, total - passed];
}

function runParsing() {
    const sums = {y: [0, 0], n: [0, 0], i: [0, 0]};
    for (const path of files(`${data}/json-parsing/test_parsing`)) {
        const kind = path.split("/").pop()[0];
        let taken = true;
        try {
            JSON.parse(new TextDecoder("utf-8", {fatal: true, ignoreBOM: true}).decode(readFileSync(path)));
        } catch {
            taken = false;
        }
        sums[kind][(kind === "n") === taken ? 1 : 0]++;
    }
    return sums;
}

const ajv = {};
for (const draft of ["draft2020-12", "draft7"]) {
    for (const part of ["", "optional", "optional/format"]) {
        ajv[`${draft}${part && `/${part}`}`] = runPart(draft, part);
    }
}
console.log(JSON.stringify({ajv, "JSON.parse": runParsing()}));
