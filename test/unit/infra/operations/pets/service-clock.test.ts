import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { expect, it } from 'vitest'
import { openServiceClock } from '../../../../../infra/operations/pets/service-clock.ts'
import { createClients } from '../../../../fixtures/clients.ts'
import { describeOnEachEngine, type RunningEngine } from '../../../../fixtures/engines.ts'
import { openService } from '../../../../fixtures/service.ts'

/** Creates a client that gets responses with this `Date`. */
const createDatedClient = (engine: RunningEngine, date: string): DynamoDBDocumentClient => {
  const { client, plain } = createClients(engine)
  plain.middlewareStack.add(
    (next) => async (request) => {
      const result = await next(request)
      // The type of a response depends on the protocol; that of DynamoDB is HTTP.
      const { headers } = result.response as { readonly headers: Record<string, string> }
      headers['date'] = date
      return result
    },
    { step: 'deserialize', priority: 'low', name: 'setDate' },
  )
  return client
}

describeOnEachEngine('the clock by which an import draws ids', (engine) => {
  /** Opens the clock at a time of this machine, when it is noon by the service. */
  const openClock = async (machineTime: string) => {
    const { tables } = await openService(engine)
    const database = createDatedClient(engine, 'Tue, 24 Nov 2026 12:00:00 GMT')
    return openServiceClock(database, tables.pets, () => Date.parse(machineTime))
  }

  // A `Date` has whole seconds, so the service's time is taken to be half a second after noon.
  const serviceTime = Date.parse('2026-11-24T12:00:00.500Z')

  it.each(['2026-11-24T11:59:00.500Z', '2026-11-24T12:01:00.500Z'])(
    'the clock has the time of the service, if this machine is a minute off at %s',
    async (machineTime) => {
      const clock = await openClock(machineTime)

      expect(clock()).toBe(serviceTime)
    },
  )

  it.each(['2026-11-24T11:59:00.499Z', '2026-11-24T12:01:00.501Z'])(
    'the clock is refused, if this machine is more than a minute off at %s',
    async (machineTime) => {
      await expect(openClock(machineTime)).rejects.toThrow(
        `The clock of this machine says ${machineTime}, and the service says Tue, 24 Nov 2026 12:00:00 GMT. Set the clock.`,
      )
    },
  )
})
