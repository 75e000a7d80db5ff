import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { type Contract, contractFile, loadContract, readContract } from '../../../../infra/contract/contract.ts'
import { fixedPlans } from '../../../../shared/api-keys/plans.ts'
import { temporaryFolder } from '../local/fixtures.ts'

const folder = temporaryFolder()
const contract = readFileSync(contractFile, 'utf8')

/** Reads the contract with a part of it replaced. */
const loadChanged = (part: string, replacement: string): Promise<Contract> => {
  expect(contract).toContain(part)
  const file = join(folder, 'changed.yaml')
  writeFileSync(file, contract.replace(part, replacement))
  return loadContract(pathToFileURL(file))
}

const path = '  /pets/{petId}:\n'
const name = '      operationId: getPet\n'

const newPet = 'application/json:\n            schema: { $ref: "#/components/schemas/NewPet" }'

it.each([
  ['a path that exists', '  /store/orders:\n', '  /pets:\n', 'it is not valid YAML: duplicated mapping key'],
  ['an operation without a name', name, '', '#/paths/~1pets~1{petId}/get/operationId: Operation object should contain'],
  ['a reference to nothing', 'responses/Blocked', 'responses/Bloked', "/~1pets/get/responses/403: Can't resolve"],
  ['an unknown keyword', name, `${name}      paramters: []\n`, 'Property `paramters` is not expected'],
  ['a method that is not served', path, `${path}    trace: { responses: {} }\n`, 'API Gateway responds to OPTIONS'],
  ['a cookie', 'in: header', 'in: cookie', 'only parameters in query, path and header are served'],
  ['security of its own', name, `${name}      security: []\n`, 'every operation takes an API key'],
  ['a body in XML', newPet, newPet.replace('json', 'xml'), 'Mime type "application/xml" is not allowed'],
  ['a replacement that is no operation', 'replacement: listPets', 'replacement: list', 'as replacement an operationId'],
])('a contract is refused by its place in the file for %s', async (_, part, replacement, problem) => {
  const refused = loadChanged(part, replacement)
  await expect(refused).rejects.toThrow(/^Correct shared\/contract\/openapi\.yaml: /)
  await expect(refused).rejects.toThrow(problem)
})

it('a parameter of a path belongs to each of its operations, unless the operation has its own', async () => {
  const header = (limit: number) =>
    `{ name: X-Shelter, in: header, description: A shelter., schema: { type: string, minLength: 1, maxLength: ${limit} } }`
  const shared = `    parameters: [${header(10)}, { $ref: "#/components/parameters/Limit" }]\n`
  const operationOf = ({ operations }: Contract) => operations.find(({ operationId }) => operationId === 'getPet')
  expect(operationOf(await loadChanged(path, path + shared))?.parameters).toMatchObject([
    { name: 'X-Shelter', schema: { maxLength: 10 } },
    { name: 'limit', schema: { minimum: 1, maximum: 100 } },
    { name: 'petId' },
  ])
  const own = `      parameters:\n        - ${header(20)}\n        - $ref: "#/components/parameters/PetId"\n`
  const changed = await loadChanged(`      parameters:\n        - $ref: "#/components/parameters/PetId"\n`, own)
  expect(operationOf(changed)?.parameters).toMatchObject([
    { name: 'X-Shelter', schema: { maxLength: 20 } },
    { name: 'petId' },
  ])
})

it('the examples of the limits are of one plan, and of one moment', () => {
  const { headers } = readContract().document.components
  const example = (header: string) => String(headers[header]?.example)
  const numbers = (header: string) => (example(header).match(/(?<==)\d+/g) ?? []).map(Number)
  const [perMinute, , perDay] = numbers('RateLimit-Policy')
  expect({ perMinute, perDay }).toEqual(fixedPlans.free)
  expect(Number(example('X-RateLimit-Limit'))).toBe(perMinute)
  const [inMinute = 0, secondsOfMinute = 0, inDay = 0, secondsOfDay = 0] = numbers('RateLimit')
  expect(Number(example('X-RateLimit-Remaining'))).toBe(inMinute)
  expect(inDay).toBeGreaterThan(inMinute)
  const now = Number(example('X-RateLimit-Reset')) - secondsOfMinute
  expect((now + secondsOfDay) % 86_400).toBe(0)
  expect(Number(example('Retry-After'))).toBe(secondsOfMinute)
})
