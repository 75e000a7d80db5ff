import { randomUUID } from 'node:crypto'
import { expect, inject, onTestFinished, test } from 'vitest'
import { connectToLocalDatabase } from '../../../../../infra/commands/environment/local-database.ts'
import { createTables } from '../../../../../infra/local/database/create-tables.ts'

test('A table of a template that has other keys or indexes than the existing one is an error', async () => {
  const client = connectToLocalDatabase(inject('engines')[0]?.endpoint ?? '')
  onTestFinished(() => client.destroy())
  const name = randomUUID()
  const [table, otherTable] = inject('tables').map((definition) => ({ ...definition, name }))
  if (table === undefined || otherTable === undefined) throw new Error('The template has no two tables.')
  await createTables(client, [table])

  await expect(createTables(client, [otherTable])).rejects.toThrow('Start with --fresh.')
})
