import type { ContractDocument, JsonSchema } from './openapi.ts'

/**
 * Generates the types of the Python client: the schemas that its methods take and return. Python 3.9 can mark single
 * fields neither as required nor as optional, so the optional fields of a schema stand in a class of their own.
 */
export const generatePythonTypes = ({ components: { schemas } }: ContractDocument): string => {
  const { PetStatus = {}, Pet = {}, PetInput = {} } = schemas
  return [`PetStatus = ${writeType(PetStatus)}\n`, writeClass('Pet', Pet), writeClass('NewPet', PetInput)].join('\n\n')
}

const writeClass = (name: string, { description = '', properties = {}, required = [] }: JsonSchema): string => {
  const entries = Object.entries(properties)
  const requiredFields = entries.filter(([field]) => required.includes(field)).map(writeField)
  const optionalFields = entries.filter(([field]) => !required.includes(field)).map(writeField)
  const docstring = `    """${writeSentence(description)}"""\n`

  if (optionalFields.length === 0) return [`class ${name}(TypedDict):`, docstring, ...requiredFields, ''].join('\n')
  if (requiredFields.length === 0) {
    return [`class ${name}(TypedDict, total=False):`, docstring, ...optionalFields, ''].join('\n')
  }
  return [
    `class _Required${name}(TypedDict):`,
    ...requiredFields,
    '\n',
    `class ${name}(_Required${name}, total=False):`,
    docstring,
    ...optionalFields,
    '',
  ].join('\n')
}

const writeField = ([name, schema]: [string, JsonSchema]): string => `    ${name}: ${writeType(schema)}`

const writeType = ({ type, enum: values, items = {} }: JsonSchema): string => {
  if (values !== undefined) return `Literal[${values.map((value) => JSON.stringify(value)).join(', ')}]`
  switch (type) {
    case 'string':
      return 'str'
    case 'integer':
      return 'int'
    case 'number':
      return 'float'
    case 'boolean':
      return 'bool'
    case 'array':
      return `list[${writeType(items)}]`
    default:
      return 'Any'
  }
}

/** Writes a description of the contract in one line, as a docstring has it. */
const writeSentence = (description: string): string =>
  description.trim().replace(/\s+/g, ' ').replaceAll('\\', '\\\\').replaceAll('"', '\\"')
