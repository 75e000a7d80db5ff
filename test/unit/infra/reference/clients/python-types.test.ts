import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { readContract } from '../../../../../infra/contract/contract.ts'
import type { JsonSchema } from '../../../../../infra/contract/openapi.ts'

const client = readFileSync('infra/reference/clients/python/pet_adoption.py', 'utf8')
const { schemas } = readContract().document.components

const describeType = ({ type = '', enum: words }: JsonSchema): string => {
  if (words !== undefined) return 'PetStatus'
  return { string: 'str', integer: 'int', boolean: 'bool' }[type] ?? type
}

/** Reads the fields of a class, such as `name: str`, with those of the class from which it is derived. */
const readClass = (name: string): readonly string[] => {
  const [, base = '', body = ''] =
    new RegExp(`^class ${name}\\((\\w+).*:\\n((?: {4}.*\\n|\\n)*)`, 'm').exec(client) ?? []
  const fields = [...body.matchAll(/^ {4}(\w+: .+)$/gm)].map(([, field = '']) => field)
  return base === 'TypedDict' ? fields : [...readClass(base), ...fields]
}

it('PetStatus of the Python client has the statuses of the contract', () => {
  const words = schemas['PetStatus']?.enum?.map((word) => JSON.stringify(word)) ?? []

  expect(client).toContain(`\nPetStatus = Literal[${words.join(', ')}]\n`)
})

it.each([
  { className: 'Pet', schema: 'Pet' },
  { className: 'NewPet', schema: 'PetInput' },
])('the class $className of the Python client has the fields of the contract', ({ className, schema }) => {
  const fields = Object.entries(schemas[schema]?.properties ?? {})
  const expected = fields.map(([name, field]) => `${name}: ${describeType(field)}`)

  expect(readClass(className).toSorted()).toEqual(expected.toSorted())
})
