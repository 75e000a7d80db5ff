/**
 * Lines that people write by hand, beside the contract and the plans that they repeat. A failure shows the lines that
 * are expected.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readContract } from '../../../../infra/contract/contract.ts'
import type { JsonSchema } from '../../../../infra/contract/openapi.ts'
import { fixedPlans } from '../../../../shared/api-keys/plans.ts'
import { newPetFields, petFields, petStatuses, readPet } from '../../../../shared/pets/pet.ts'

const { operations, document } = readContract()
const {
  Pet: petSchema = {},
  PetInput: petInputSchema = {},
  PetStatus: petStatusSchema = {},
} = document.components.schemas

const listFields = ({ properties = {} }: JsonSchema): readonly string[] => Object.keys(properties)

describe('README.md', () => {
  const readme = readFileSync('README.md', 'utf8')

  /** Reads the rows of a table: those below the line that separates them from the head. */
  const readRows = (head: string): readonly string[] => {
    const [, table = ''] = readme.split(`\n| ${head} |`)
    const [rows = ''] = table.split('\n\n')
    return rows.split('\n').slice(2)
  }

  it('README.md has the limits of each plan', () => {
    const expected = Object.entries(fixedPlans).map(([plan, { perMinute, perDay }]) => {
      const title = `${plan.charAt(0).toUpperCase()}${plan.slice(1)}`
      return `| ${title} | ${perMinute.toLocaleString('en-US')} | ${perDay.toLocaleString('en-US')} |`
    })

    expect(readRows('plan')).toEqual([...expected, '| Enterprise | set for each key | set for each key |'])
  })

  it('README.md has a row of each operation, with a text of its own', () => {
    const rows = readRows('operation').map((row) => row.replace(/(?<=^\| `.+?` \| ).+ \|$/, '... |'))

    expect(rows).toEqual(operations.map(({ method, path }) => `| \`${method} ${path}\` | ... |`))
  })
})

describe('shared/pets/pet.ts', () => {
  it('petStatuses are the statuses of the contract', () => {
    expect(petStatuses).toEqual(petStatusSchema.enum)
  })

  it('petFieldReaders has the fields of the contract in their order', () => {
    expect(petFields).toEqual(listFields(petSchema))
  })

  it('a new pet has the fields of the contract', () => {
    expect(newPetFields.toSorted()).toEqual(listFields(petInputSchema).toSorted())
  })

  it.each(listFields(petSchema))('petFieldReaders says as the contract whether an item may lack %s', (field) => {
    const reading = readPet({ id: 5n, name: 'Bella', categoryId: 1n, status: 'sold', [field]: undefined })

    expect(reading.kind).toBe(petSchema.required?.includes(field) ? 'malformed' : 'read')
  })
})

describe('pet_adoption.py', () => {
  const client = readFileSync('infra/reference/clients/python/pet_adoption.py', 'utf8')

  const describeType = ({ type = '', enum: values }: JsonSchema): string => {
    if (values !== undefined) return `Literal[${values.map((value) => JSON.stringify(value)).join(', ')}]`
    return { string: 'str', integer: 'int', boolean: 'bool' }[type] ?? type
  }

  /** Lists the lines of a schema. Those of optional fields stand in a class with `total=False`. */
  const listLines = ({ properties = {}, required = [] }: JsonSchema): readonly string[] =>
    Object.entries(properties).map(([name, schema]) => {
      const line = `${name}: ${describeType(schema)}`
      return required.includes(name) ? line : `${line}, in a class with total=False`
    })

  const statusType = describeType(petStatusSchema)

  /** Reads the lines of a class, and before them those of the class from which it is derived. */
  const readLines = (className: string): readonly string[] => {
    const [, base = '', total = '', body = ''] =
      new RegExp(`^class ${className}\\((\\w+)(, total=False)?\\):\n((?: {4}.*\n|\n)*)`, 'm').exec(client) ?? []
    const lines = [...body.matchAll(/^ {4}(\w+: .+)$/gm)].map(([, line = '']) => {
      const type = line.replace(/\bPetStatus$/, statusType)
      return total === '' ? type : `${type}, in a class with total=False`
    })
    return base === 'TypedDict' ? lines : [...readLines(base), ...lines]
  }

  it('the status of the Python client is that of the contract', () => {
    expect(client.split('\n')).toContain(`PetStatus = ${statusType}`)
  })

  it.each([
    { className: 'Pet', schema: petSchema },
    { className: 'NewPet', schema: petInputSchema },
  ])('the class $className of the Python client has the fields of the contract', ({ className, schema }) => {
    expect(readLines(className).toSorted()).toEqual(listLines(schema).toSorted())
  })
})
