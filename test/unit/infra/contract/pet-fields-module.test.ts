import { expect, test } from 'vitest'
import { readContract } from '../../../../infra/contract/contract.ts'
import { generatePetFieldsModule } from '../../../../infra/contract/pet-fields-module.ts'
import { type ContractEdit, loadChangedContract } from '../../../fixtures/changed-contract.ts'

/** End of the first field of a pet after the id. A field of a new animal has its rules between these lines. */
const endOfName = "          description: The animal's name.\n          examples: [Bella]\n"

/** Generates the module for a contract whose pets have one more field. */
const generateWithField = async (field: string, ...edits: readonly ContractEdit[]): Promise<string> => {
  const contract = await loadChangedContract(
    { part: endOfName, replacement: `${endOfName}        ${field}\n` },
    ...edits,
  )
  return generatePetFieldsModule(contract)
}

test.each([
  {
    type: 'integer',
    field: 'extra: { type: integer, minimum: 0, maximum: 30, description: A., examples: [3] }',
    reader: 'readInt64',
  },
  { type: 'boolean', field: 'extra: { type: boolean, description: A., examples: [true] }', reader: 'readBoolean' },
  {
    type: 'string',
    field: 'extra: { type: string, maxLength: 9, description: A., examples: [A] }',
    reader: 'readText',
  },
])('an item may lack an optional field of the type $type', async ({ field, reader }) => {
  expect(await generateWithField(field)).toContain(`\n  "extra": readers.optional(readers.${reader}Attribute),\n`)
})

test('an item must have a required field', () => {
  expect(generatePetFieldsModule(readContract())).toContain('\n  "id": readers.readInt64Attribute,\n')
})

test('an optional enumeration is read as one of its words', async () => {
  const code = await generateWithField('extra: { type: string, enum: [cat, dog], description: A., examples: [cat] }')

  expect(code).toContain('\n  "extra": readers.optional(readers.createWordReader(["cat","dog"])),\n')
})

test('a field of a type that is not stored is an error that names it', async () => {
  const generating = generateWithField(
    'extra: { type: array, items: { type: boolean, description: A., examples: [true] }, description: A. }',
  )

  await expect(generating).rejects.toThrow(
    'Correct shared/contract/openapi.yaml: Pet, field extra: the type array is not stored. Use boolean, integer or string.',
  )
})

test('a field of a new pet that a pet lacks is an error that names it', async () => {
  const contract = await loadChangedContract({
    part: '        categoryId: { $ref: "#/components/schemas/CategoryId" }\n        # No',
    replacement:
      '        categoryId: { $ref: "#/components/schemas/CategoryId" }\n        extra: { type: boolean, description: A., examples: [true] }\n        # No',
  })

  expect(() => generatePetFieldsModule(contract)).toThrow('PetInput, field extra: Pet must have it too.')
})
