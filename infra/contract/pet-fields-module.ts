import type { Contract } from './contract.ts'
import { createContractError } from './contract-error.ts'
import type { JsonSchema } from './openapi.ts'

/**
 * Generates the module with the fields of a pet, each with the function that reads it from its attribute in the pets
 * table. An attribute that the contract does not require may be missing: items that were stored before the field was
 * added do not have it.
 *
 * @throws UserError when a field has no reader, or a new pet has a field that a pet lacks
 */
export const generatePetFieldsModule = ({ document }: Contract): string => {
  const { Pet: pet = {}, PetInput: petInput = {} } = document.components.schemas
  const { properties = {}, required = [] } = pet
  const lost = Object.keys(petInput.properties ?? {}).find((name) => !(name in properties))
  if (lost !== undefined) throw createContractError(`PetInput, field ${lost}: Pet must have it too.`)

  const lines = Object.entries(properties).map(([name, schema]) => {
    const reader = chooseReader(name, schema)
    return `  ${JSON.stringify(name)}: ${required.includes(name) ? reader : `readers.optional(${reader})`},`
  })
  return `import * as readers from '../../dynamodb/item-reader.ts'

/** The fields of a pet in the order of every response, each with the function that reads it from its attribute. */
export const petFieldReaders = {
${lines.join('\n')}
} as const
`
}

const chooseReader = (name: string, { type, enum: words }: JsonSchema): string => {
  if (words !== undefined) return `readers.createWordReader(${JSON.stringify(words)})`

  switch (type) {
    case 'boolean':
      return 'readers.readBooleanAttribute'
    case 'integer':
      return 'readers.readInt64Attribute'
    case 'string':
      return 'readers.readTextAttribute'
    default:
      throw createContractError(`Pet, field ${name}: the type ${type} is not stored. Use boolean, integer or string.`)
  }
}
