import { gatewayEvent } from '../../events/events.ts'
import { openCallMeter } from '../call-meter.ts'
import { type Candidate, candidates } from '../candidates.ts'
import { warmProcess } from '../processes.ts'
import type { Section } from '../report/section.ts'
import type { PartContext } from './part.ts'

/** Beside the usual requests those that cost more. The process's first request stores the pet, the next finds it. */
const requests: readonly Candidate[] = [
  ...candidates,
  {
    request: 'create again, with an Idempotency-Key',
    name: 'create-pet',
    event: gatewayEvent('create-pet-idempotent'),
  },
]

/** The calls to DynamoDB that a request makes, and what they consume. */
export const measureCalls = async ({ workbench, progress }: PartContext): Promise<readonly Section[]> => {
  const bench = await workbench()
  await using meter = await openCallMeter(bench.databaseEndpoint)
  const rows = []
  for (const candidate of requests) {
    progress(`calls of ${candidate.request}`)
    meter.take()
    await using running = await warmProcess(await bench.launchFunction(candidate, meter.endpoint))
    const first = meter.take()
    await running.send(1)
    const usual = meter.take()
    rows.push({
      request: candidate.request,
      first: list(first.calls),
      usual: list(usual.calls),
      capacityUnits: usual.capacityUnits,
    })
  }
  return [
    {
      title: `Calls to DynamoDB: of the first request of a process, and of one after it with its capacity units`,
      columns: { request: 'request', first: 'first', usual: 'usual', capacityUnits: 'units' },
      rows,
    },
  ]
}

const list = (calls: readonly string[]): string => `${calls.length}: ${calls.join(', ')}`
