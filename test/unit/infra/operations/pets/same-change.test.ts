import { expect, it } from 'vitest'
import { type AuditLine, createAudit } from '../../../../../infra/operations/environment/audit.ts'
import { setPets } from '../../../../../infra/operations/pets/some-pets.ts'
import { createClients } from '../../../../fixtures/clients.ts'
import { createColleague } from '../../../../fixtures/colleague.ts'
import { registerLocalEnvironment } from '../../../../fixtures/commands.ts'

it('the audit has no change as done that somebody else has made first', async () => {
  const { engine, tables } = await registerLocalEnvironment()
  const { client } = createClients(engine)
  const colleague = createColleague(client, tables.pets)
  await colleague.store({ id: 5n, name: 'Bella', categoryId: 1n, status: 'available' })
  const outcomes: AuditLine['outcome'][] = []
  const writeLines = async (lines: readonly string[]): Promise<void> => {
    if (outcomes.length === 0) await colleague.store({ id: 5n, name: 'Bella', categoryId: 1n, status: 'sold' })
    outcomes.push(...lines.map((line) => JSON.parse(line).outcome))
  }
  const audit = createAudit(writeLines, { who: 'an operator', environment: 'local' })
  const environment = {
    name: 'local',
    baseUrl: '',
    auditTrail: { file: '' },
    database: client,
    tables,
    [Symbol.dispose]: () => {},
  } as const

  const { json } = await setPets(environment, audit, [5n], { status: 'sold' })

  expect(outcomes).toEqual(['begun', 'failed'])
  expect(json).toMatchObject({ changed: 0, unchanged: 1 })
})
