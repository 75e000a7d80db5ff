import { expect, it } from 'vitest'
import { readContract } from '../../../../infra/contract/contract.ts'
import type { JsonSchema } from '../../../../infra/contract/openapi.ts'
import { generatePythonTypes } from '../../../../infra/contract/python-types.ts'

const generateTypesWith = (schemas: Readonly<Record<string, JsonSchema>>): string => {
  const { document } = readContract()
  const components = { ...document.components, schemas: { ...document.components.schemas, ...schemas } }
  return generatePythonTypes({ ...document, components })
}

it('a schema whose fields are all required is one class', () => {
  const schema: JsonSchema = {
    description: 'An "animal".',
    required: ['id', 'weight', 'isTame', 'tags'],
    properties: {
      id: { type: 'integer' },
      weight: { type: 'number' },
      isTame: { type: 'boolean' },
      tags: { type: 'array', items: { type: 'string' } },
    },
  }

  expect(generateTypesWith({ Pet: schema })).toContain(`class Pet(TypedDict):
    """An \\"animal\\"."""

    id: int
    weight: float
    isTame: bool
    tags: list[str]
`)
})

it('the optional fields of a schema are in a class of their own', () => {
  const schema: JsonSchema = {
    description: 'An animal to add.',
    required: ['name'],
    properties: {
      colour: { type: 'string', enum: ['brown', 'black'] },
      name: { type: 'string' },
      origin: { type: 'object', properties: {} },
    },
  }

  expect(generateTypesWith({ PetInput: schema })).toContain(`class _RequiredNewPet(TypedDict):
    name: str


class NewPet(_RequiredNewPet, total=False):
    """An animal to add."""

    colour: Literal["brown", "black"]
    origin: Any
`)
})

it('a schema whose fields are all optional is one class', () => {
  const schema: JsonSchema = { description: 'An animal to add.', properties: { name: { type: 'string' } } }

  expect(generateTypesWith({ PetInput: schema })).toContain(`class NewPet(TypedDict, total=False):
    """An animal to add."""

    name: str
`)
})
