import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { importPets } from '../../../../../infra/operations/pets/import.ts'
import { removePets, setPets } from '../../../../../infra/operations/pets/some-pets.ts'
import { createMemoryAudit } from '../../../../fixtures/audit.ts'
import { createInstantClient } from '../../../../fixtures/clients.ts'
import { createColleague } from '../../../../fixtures/colleague.ts'
import { describeOnEachEngine } from '../../../../fixtures/engines.ts'
import { openService, type Service } from '../../../../fixtures/service.ts'
import { createTemporaryFolder } from '../../../../fixtures/temporary-folder.ts'

const petCount = 450

// infra/README.md: "an import writes 500 pets per second on AWS".
describeOnEachEngine('the pace of writes on AWS', (engine) => {
  let service: Service
  let ids: readonly bigint[]

  // The writes of the tests are not made, so the pets stay as they are.
  beforeAll(async () => {
    service = await openService(engine)
    const colleague = createColleague(service.client, service.tables.pets)
    ids = Array.from({ length: petCount }, (_, index) => BigInt(index + 1))
    await Promise.all(ids.map((id) => colleague.store({ id, name: 'Bella', categoryId: 1n, status: 'available' })))
  })

  /** Opens staging, whose writes are not made. */
  const openStaging = () => {
    const { client, startTimes } = createInstantClient(engine)
    const environment = {
      name: 'staging' as const,
      baseUrl: '',
      auditTrail: { file: '' },
      tables: service.tables,
      database: client,
      [Symbol.dispose]: () => undefined,
    }
    return { environment, startTimes, openedAt: performance.now() }
  }

  /**
   * The fifth hundred writes begin 800 ms after a command at 500 a second, and much earlier without a pace. The first
   * writes can begin late on a busy machine, so the time is counted from before the command.
   */
  const expectPace = (startTimes: readonly number[], openedAt: number): void => {
    expect(startTimes).toHaveLength(petCount)
    expect((startTimes.at(-1) ?? 0) - openedAt).toBeGreaterThan(790)
  }

  it('an import adds at most 500 pets a second', async () => {
    const { environment, startTimes, openedAt } = openStaging()
    const file = join(createTemporaryFolder(), 'rows.jsonl')
    writeFileSync(file, '{"name":"Bella","categoryId":1}\n'.repeat(petCount))

    await importPets(environment, createMemoryAudit(), { file })

    expectPace(startTimes, openedAt)
  })

  it('an import changes at most 500 pets a second', async () => {
    const { environment, startTimes, openedAt } = openStaging()
    const file = join(createTemporaryFolder(), 'rows.jsonl')
    writeFileSync(file, ids.map((id) => `{"id":${id},"name":"Belle","categoryId":1,"status":"available"}\n`).join(''))

    await importPets(environment, createMemoryAudit(), { file, overwrite: true })

    expectPace(startTimes, openedAt)
  })

  it('set changes at most 500 pets a second', async () => {
    const { environment, startTimes, openedAt } = openStaging()

    await setPets(environment, createMemoryAudit(), ids, { status: 'sold' })

    expectPace(startTimes, openedAt)
  })

  it('remove removes at most 500 pets a second', async () => {
    const { environment, startTimes, openedAt } = openStaging()

    await removePets(environment, createMemoryAudit(), ids, undefined)

    expectPace(startTimes, openedAt)
  })
})
