import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { beforeEach, expect, it } from 'vitest'
import { ChangeAudit, UnknownOutcomeError } from '../../../../../infra/commands/environment/change-audit.ts'
import { changePets } from '../../../../../infra/commands/pets/change-pets.ts'
import { setPets } from '../../../../../infra/commands/pets/set.ts'
import type { Pet } from '../../../../../shared/pets/pet.ts'
import { type Colleague, createColleague } from '../../../../fixtures/commands/colleague.ts'
import { createForgetfulClient, createInterceptingClient } from '../../../../fixtures/database/clients.ts'
import { describeOnEachEngine } from '../../../../fixtures/database/engines.ts'
import { openService, type Service } from '../../../../fixtures/service/service.ts'

const bella: Pet = { id: 5n, name: 'Bella', categoryId: 1n, status: 'available' }

describeOnEachEngine('changes of pets', (engine) => {
  let service: Service
  let colleague: Colleague

  beforeEach(async () => {
    service = await openService(engine)
    colleague = createColleague(service.client, service.tables.pets)
    await colleague.store(bella)
  })

  const openAudit = (database: DynamoDBDocumentClient): ChangeAudit =>
    new ChangeAudit({ database, tables: service.tables }, { who: 'alice', why: undefined })

  /** Sets the status of Bella to sold with a command that uses this client. */
  const setSold = (database: DynamoDBDocumentClient) => {
    const environment = { name: 'local', baseUrl: '', tables: service.tables } as const
    const opened = { ...environment, database, [Symbol.dispose]: () => undefined }
    return setPets(opened, openAudit(database), [5n], { status: 'sold' })
  }

  /** Creates a client that acts once, before its first write of the pets table. */
  const createClientActingOnce = (act: () => Promise<unknown>): DynamoDBDocumentClient => {
    let hasActed = false
    return createInterceptingClient(engine, 'PutItem', async ({ TableName }) => {
      if (hasActed || TableName !== service.tables.pets) return
      hasActed = true
      await act()
    })
  }

  it('a change that somebody else made meanwhile stays', async () => {
    const client = createClientActingOnce(() => colleague.store({ ...bella, name: 'Belle' }))

    const { json } = await setSold(client)

    expect(json).toMatchObject({ changed: 1 })
    expect(await colleague.list()).toEqual([{ ...bella, name: 'Belle', status: 'sold' }])
  })

  it('a pet that somebody else has set to the same meanwhile is unchanged', async () => {
    const client = createClientActingOnce(() => colleague.store({ ...bella, status: 'sold' }))

    expect((await setSold(client)).json).toMatchObject({ changed: 0, unchanged: 1 })
  })

  it('a pet that was removed meanwhile is a conflict', async () => {
    const client = createClientActingOnce(() => colleague.remove(5n))

    expect(await setSold(client)).toMatchObject({ json: { conflict: 1 }, exitCode: 3 })
  })

  it('a change whose response was lost is reported once, as made', async () => {
    const { json } = await setSold(createForgetfulClient(engine))

    expect(json).toMatchObject({ changed: 1, unchanged: 0, changes: [{ old: bella, new: { status: 'sold' } }] })
  })

  it('a change without a response is not known, and the command can be repeated', async () => {
    const client = createClientActingOnce(async () => {
      throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError', $metadata: {} })
    })

    const failure = await setSold(client).catch((error: unknown) => error)

    expect(failure).toMatchObject({ exitCode: 1, cause: expect.any(UnknownOutcomeError) })
    expect(failure).toMatchObject({ message: expect.stringContaining('0 of 1 pet done. Run the same command again.') })
    expect((await setSold(service.client)).json).toMatchObject({ changed: 1 })
  })

  it.each([
    { name: 'staging', waits: [{ milliseconds: 400, writes: 100 }] },
    { name: 'local', waits: [] },
  ] as const)('a command writes at most 250 pets a second on AWS: $name', async ({ name, waits }) => {
    const pets = Array.from({ length: 150 }, (_, index) => ({ ...bella, id: BigInt(index + 100) }))
    let writes = 0
    const client = createInterceptingClient(engine, 'PutItem', async ({ TableName }) => {
      if (TableName === service.tables.pets) writes += 1
    })
    const environment = { name, database: client, tables: service.tables }
    const waited: object[] = []
    const time = {
      now: () => 0,
      wait: async (milliseconds: number) => {
        waited.push({ milliseconds, writes })
      },
    }

    await changePets(
      { environment, audit: openAudit(client), action: 'pets restore', time },
      pets.map((pet) => ({ id: pet.id, plan: () => ({ kind: 'write', pet }) })),
    )

    expect(waited).toEqual(waits)
  })
})
