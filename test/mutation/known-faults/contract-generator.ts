import type { KnownFault } from './known-fault.ts'

const checkRoutes = 'test/unit/infra/contract/check-routes.test.ts'
const handWritten = 'test/unit/infra/contract/hand-written.test.ts'
const inputSchema = 'test/unit/infra/contract/input-schema.test.ts'
const operationInput = 'test/unit/infra/contract/operation-input.test.ts'

/** Faults of the generator that reads the contract. */
export const contractGenerator: readonly KnownFault[] = [
  {
    title: 'an operation that API Gateway cannot route is accepted',
    file: 'infra/contract/check-routes.ts',
    find: 'if (other !== parameter) {',
    replaceBy: 'if (other === undefined) {',
    test: checkRoutes,
  },
  {
    title: 'an operation with a body does not document the refusal of other types',
    file: 'infra/contract/check-routes.ts',
    find: "if (requestBody !== undefined && responses['415'] === undefined) {",
    replaceBy: "if (requestBody === undefined && responses['415'] !== undefined) {",
    test: checkRoutes,
  },
  {
    title: 'a body that a browser does not send is accepted in the contract',
    file: 'infra/contract/check-routes.ts',
    find: "['GET', 'DELETE'].includes(method)",
    replaceBy: "['DELETE'].includes(method)",
    test: checkRoutes,
  },
  {
    title: 'a keyword that the service does not check is accepted in the contract',
    file: 'infra/contract/input-schema.ts',
    find: 'if (unserved === undefined) return\n',
    replaceBy: 'if (unserved !== null) return\n',
    test: inputSchema,
  },
  {
    title: 'a default that its own schema refuses is accepted in the contract',
    file: 'infra/contract/input-schema.ts',
    find: 'if (defaultValue !== undefined && !validate(convertDefault(defaultValue, kind))) {',
    replaceBy: 'if (validate(convertDefault(defaultValue, kind)) === undefined) {',
    test: inputSchema,
  },
  {
    title: 'a field whose name every object has is missing from no request',
    file: 'infra/contract/operation-input.ts',
    find: ' || name in {})',
    replaceBy: ')',
    test: operationInput,
  },
  {
    title: 'unknown fields of a body are stored or lost in silence',
    file: 'infra/contract/validator.ts',
    find: 'additionalProperties: false,',
    replaceBy: '',
    test: 'test/unit/infra/contract/generate.test.ts',
  },
  {
    title: 'a text with half a surrogate pair is accepted',
    file: 'infra/contract/input-schema.ts',
    find: 'wellFormed: true, ',
    replaceBy: '',
    test: 'test/unit/infra/contract/generate.test.ts',
  },
  {
    title: 'an error that the contract does not list gets into the catalogue',
    file: 'infra/contract/service-modules.ts',
    find: 'if (unlisted !== undefined) {',
    replaceBy: 'if (unlisted === null) {',
    test: 'test/unit/infra/contract/service-modules.test.ts',
  },
  {
    title: 'the README promises another limit than the service has',
    file: 'README.md',
    find: '| Pro | 300 |',
    replaceBy: '| Pro | 30 |',
    test: handWritten,
  },
  {
    title: 'a field that may be missing is required in the types for Python',
    file: 'infra/reference/clients/python/pet_adoption.py',
    find: 'class NewPet(_RequiredNewPet, total=False):',
    replaceBy: 'class NewPet(_RequiredNewPet):',
    test: handWritten,
  },
  {
    title: 'a list cannot show the animals of one status',
    file: 'shared/pets/pet.ts',
    find: "['available', 'pending', 'sold'] as const",
    replaceBy: "['available', 'sold'] as const",
    test: handWritten,
  },
]
