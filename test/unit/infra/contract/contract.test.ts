import { expect, test } from 'vitest'
import { loadChangedContract, removeExampleEdit } from '../../../fixtures/changed-contract.ts'

// Parts of the text of the contract.
const petPathLine = '  /pets/{petId}:\n'
const operationIdLine = '      operationId: getPet\n'
const namePattern = String.raw`pattern: '^[\s\S]*\S[\s\S]*$'`
const newPetBody = 'application/json:\n            schema: { $ref: "#/components/schemas/PetInput" }'

test.each([
  {
    mistake: 'a path that exists already',
    part: '  /store/orders:\n',
    replacement: '  /pets:\n',
    problem: 'it is not valid YAML: duplicated mapping key',
  },
  {
    mistake: 'an operation without a name',
    part: operationIdLine,
    replacement: '',
    problem: '#/paths/~1pets~1{petId}/get/operationId: Operation object should contain',
  },
  {
    mistake: 'a reference without a target',
    part: 'responses/Blocked',
    replacement: 'responses/Bloked',
    problem: "#/x-unrouted-responses/403: Can't resolve",
  },
  {
    mistake: 'an unknown keyword',
    part: operationIdLine,
    replacement: `${operationIdLine}      paramters: []\n`,
    problem: 'Property `paramters` is not expected',
  },
  {
    mistake: 'a method that is not served',
    part: petPathLine,
    replacement: `${petPathLine}    trace: { responses: {} }\n`,
    problem: 'API Gateway responds to OPTIONS',
  },
  {
    mistake: 'a response to HEAD',
    part: petPathLine,
    replacement: `${petPathLine}    head: { responses: {} }\n`,
    problem: 'a response to HEAD has no body',
  },
  {
    mistake: 'a path on another server',
    part: petPathLine,
    replacement: `${petPathLine}    servers: [{ url: /v2, description: Other. }]\n`,
    problem: 'every path is on the same server',
  },
  {
    mistake: 'an operation on another server',
    part: operationIdLine,
    replacement: `${operationIdLine}      servers: [{ url: /v2, description: Other. }]\n`,
    problem: 'every operation is on the same server',
  },
  {
    mistake: 'a body that is not described',
    part: '      requestBody:\n        description: |\n',
    replacement: '      requestBody:\n        x-description: |\n',
    problem: '/post/requestBody/description: the reference says what a body is',
  },
  {
    mistake: 'a parameter with several values',
    part: 'in: header',
    replacement: 'in: header\n      explode: true',
    problem: 'a parameter is one value',
  },
  {
    mistake: 'a cookie',
    part: 'in: header',
    replacement: 'in: cookie',
    problem: 'only parameters in query, path and header are served',
  },
  {
    mistake: 'security of its own',
    part: operationIdLine,
    replacement: `${operationIdLine}      security: []\n`,
    problem: 'every operation takes an API key',
  },
  {
    mistake: 'a body in XML',
    part: newPetBody,
    replacement: newPetBody.replace('json', 'xml'),
    problem: 'Mime type "application/xml" is not allowed',
  },
  {
    mistake: 'a pattern of surrogates, which Go and Rust refuse',
    part: namePattern,
    replacement: String.raw`pattern: '^[^\uD800-\uDFFF]*\S$'`,
    problem: 'the pattern does not compile in every engine',
  },
  {
    mistake: 'a pattern that looks ahead, which Go and Rust refuse',
    part: namePattern,
    replacement: String.raw`pattern: '^(?=.*\S)$'`,
    problem: 'the pattern does not compile in every engine',
  },
  {
    mistake: 'a pattern that some languages search for and others match',
    part: namePattern,
    replacement: String.raw`pattern: '\S'`,
    problem: 'the pattern must begin with ^ and end with $',
  },
  {
    mistake: 'a default of a field, which generators would make required',
    part: 'examples: [available]',
    replacement: 'examples: [available]\n      default: available',
    problem: 'POST /pets, body, field status: it has a default, and generators make it a required field.',
  },
  {
    mistake: 'an operation without a response of every operation',
    part: '        "504": { $ref: "#/components/responses/GatewayTimeout" }\n\n  /pets/{petId}',
    replacement: '\n  /pets/{petId}',
    problem: 'POST /pets: it needs the responses 504, as every operation.',
  },
  {
    mistake: 'a replacement that is no operation',
    part: 'replacement: listPets',
    replacement: 'replacement: list',
    problem: 'GET /pets/{petId}, x-deprecation: replacement must be the operationId of a path without parameters.',
  },
  {
    mistake: 'a replacement whose path has a parameter',
    part: 'replacement: listPets',
    replacement: 'replacement: getPet',
    problem: 'GET /pets/{petId}, x-deprecation: replacement must be',
  },
  {
    mistake: 'a deprecation without a date',
    part: 'sunset: "2030-12-05"',
    replacement: 'sunset: "2030-13-05"',
    problem: 'GET /pets/{petId}, x-deprecation: it must have advice, and since and sunset as dates',
  },
  {
    mistake: 'a field without bounds',
    part: '          maxLength: 255\n',
    replacement: '',
    problem: 'POST /pets, body, field name: it has no bounds.',
  },
  {
    mistake: 'a success without the headers of the limits',
    part: removeExampleEdit.part,
    replacement: removeExampleEdit.replacement.replace(/^ *X-RateLimit-Reset: .*\n/m, ''),
    problem: 'Response object must contain a "X-RateLimit-Reset" header.',
  },
  {
    mistake: 'a body without examples',
    part: '              examples:\n                bella:\n                  summary: The animal with its identifier',
    replacement: '              x-examples:\n                bella:\n                  summary: The animal',
    problem: 'every body needs examples, which the reference shows',
  },
  {
    mistake: 'a success without a content',
    part: removeExampleEdit.part,
    replacement: removeExampleEdit.replacement.replace('"204"', '"200"'),
    problem: 'DELETE /examples/{petId}: the response 200 needs a content, or the status 204.',
  },
])(
  'A contract with $mistake is an error that names the file and the problem',
  async ({ part, replacement, problem }) => {
    const loading = loadChangedContract({ part, replacement })

    await expect(loading).rejects.toThrow(/^Correct shared\/contract\/openapi\.yaml: /)
    await expect(loading).rejects.toThrow(problem)
  },
)

test('A parameter of a path belongs to each of its operations, unless the operation has its own', async () => {
  const createHeader = (name: string, maxLength: number) =>
    `{ name: ${name}, in: header, description: A., schema: { type: string, minLength: 1, maxLength: ${maxLength} } }`
  const limit = '{ $ref: "#/components/parameters/Limit" }'
  const pathParameters = `    parameters: [${createHeader('X-A', 10)}, ${createHeader('X-B', 10)}, ${limit}]\n`
  const petIdReference = '        - $ref: "#/components/parameters/PetId"\n'

  const { operations } = await loadChangedContract(
    { part: petPathLine, replacement: petPathLine + pathParameters },
    { part: petIdReference, replacement: `${petIdReference}        - ${createHeader('X-B', 20)}\n` },
  )

  const getPet = operations.find((operation) => operation.operationId === 'getPet')
  expect(getPet?.parameters).toMatchObject([
    { name: 'X-A', schema: { maxLength: 10 } },
    { name: 'limit', schema: { minimum: 1, maximum: 100 } },
    { name: 'petId', schema: {} },
    { name: 'X-B', schema: { maxLength: 20 } },
  ])
})
