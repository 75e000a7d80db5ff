import { beforeEach, expect, it } from 'vitest'
import { removeSeededPets, writeSeededPets } from '../../../../../infra/operations/seed/seed-tool.ts'
import { createMemoryAudit } from '../../../../fixtures/audit.ts'
import { createInstantClient } from '../../../../fixtures/clients.ts'
import { describeOnEachEngine } from '../../../../fixtures/engines.ts'
import { openService, type Service } from '../../../../fixtures/service.ts'

const petCount = 250

describeOnEachEngine('the pace of npm run seed on AWS', (engine) => {
  let service: Service

  beforeEach(async () => {
    service = await openService(engine)
  })

  const openEnvironment = <Name extends 'local' | 'staging'>(name: Name, database = service.client) => ({
    name,
    baseUrl: '',
    auditTrail: { file: '' },
    tables: service.tables,
    database,
    [Symbol.dispose]: () => undefined,
  })

  /** Opens staging, whose writes are not made. */
  const openStaging = () => {
    const { client, startTimes } = createInstantClient(engine)
    return { environment: openEnvironment('staging', client), startTimes, openedAt: performance.now() }
  }

  /**
   * The last writes begin 200 ms after a command at 1,000 a second, and much earlier without a pace. The first writes
   * can begin late on a busy machine, so the time is counted from before the command.
   */
  const expectPace = (startTimes: readonly number[], openedAt: number): void => {
    expect(startTimes).toHaveLength(petCount)
    expect((startTimes.at(-1) ?? 0) - openedAt).toBeGreaterThan(190)
  }

  it('npm run seed writes at most 1,000 pets a second', async () => {
    const { environment, startTimes, openedAt } = openStaging()

    await writeSeededPets(environment, createMemoryAudit(), petCount)

    expectPace(startTimes, openedAt)
  })

  it('npm run seed --remove removes at most 1,000 pets a second', async () => {
    await writeSeededPets(openEnvironment('local'), createMemoryAudit(), petCount)
    const { environment, startTimes, openedAt } = openStaging()

    await removeSeededPets(environment, createMemoryAudit())

    expectPace(startTimes, openedAt)
  })
})
