import { environmentVariables } from '../../../shared/environment-variables.ts'
import { authorizerEvent, gatewayEvent } from '../../events/events.ts'
import { type Candidate, candidates } from '../candidates.ts'
import type { WarmBlock } from '../probe.ts'
import { warmProcess } from '../processes.ts'
import { byFigure, type ComparisonRow, comparisonColumns, comparisonRows, type Section } from '../report/section.ts'
import { exhaustedApiKey, type Launch } from '../workbench.ts'
import type { PartContext } from './part.ts'

/** V8 has compiled the path of a request by then. */
const warmUpRequests = 300
const requestsInBlock = 50

/** The processor time and the latency of a request, once a process has answered many. */
export const measureWarm = async (context: PartContext): Promise<readonly Section[]> => {
  const { workbench, rounds } = context
  const bench = await workbench()
  const blocks = `median of ${rounds} blocks of ${requestsInBlock}, middle half`
  const floors: ComparisonRow[] = []
  for (const candidate of candidates) {
    floors.push(
      ...(await measure(
        candidate.request,
        await bench.launchFunction(candidate),
        await bench.launchFloor(candidate),
        context,
      )),
    )
  }
  const refusals: ComparisonRow[] = []
  for (const [refused, reserved] of refusedAndReserved) {
    // A banned key would be refused by another path.
    const environment = { [environmentVariables.refusalsBeforeBan]: '1000000000' }
    const launched = await bench.launchFunction(refused)
    const withoutBans = { ...launched, environment: { ...launched.environment, ...environment } }
    refusals.push(...(await measure(refused.request, withoutBans, await bench.launchFunction(reserved), context)))
  }
  return [
    {
      title: `Warm: of one request, the database's part of the latency included (${blocks})`,
      columns: comparisonColumns,
      rows: byFigure(floors),
    },
    {
      title: `Warm: of a request over a limit, beside GET /store/orders within it (${blocks})`,
      columns: { ...comparisonColumns, measured: 'refused', floor: 'reserved' },
      rows: byFigure(refusals),
    },
  ]
}

const usualEvent = authorizerEvent()
const exhausted = { Authorization: `Bearer ${exhaustedApiKey}` }
const exhaustedEvent = {
  ...usualEvent,
  headers: { ...usualEvent.headers, ...exhausted },
  multiValueHeaders: { ...usualEvent.multiValueHeaders, Authorization: [exhausted.Authorization] },
}
const reservedEvent = gatewayEvent('list-store-orders')
const { requestContext } = reservedEvent
const refusedEvent = {
  ...reservedEvent,
  requestContext: {
    ...requestContext,
    authorizer: {
      ...requestContext.authorizer,
      errorCode: 'rate_limit_exceeded',
      errorMessage: 'The limit is used up.',
    },
  },
}

/** The two functions of a request over a limit, each beside that of `GET /store/orders`, which does nothing either. */
const refusedAndReserved: readonly (readonly [refused: Candidate, reserved: Candidate])[] = [
  [
    { request: 'authorizer', name: 'authorizer', event: exhaustedEvent },
    { request: 'authorizer', name: 'authorizer', event: usualEvent },
  ],
  [
    { request: 'function', name: 'list-store-orders', event: refusedEvent, status: 429 },
    { request: 'function', name: 'list-store-orders', event: reservedEvent, status: 501 },
  ],
]

const measure = async (
  request: string,
  launched: Launch,
  launchedFloor: Launch,
  { rounds, progress }: PartContext,
): Promise<readonly ComparisonRow[]> => {
  await using measured = await warmProcess(launched)
  await using floor = await warmProcess(launchedFloor)
  progress(`warming up ${request}`)
  await measured.send(warmUpRequests)
  await floor.send(warmUpRequests)
  const pairs: { readonly measured: WarmBlock; readonly floor: WarmBlock }[] = []
  for (let round = 0; round < rounds; round += 1) {
    progress(`warm ${request}, block ${round + 1} of ${rounds}`)
    pairs.push({ measured: await measured.send(requestsInBlock), floor: await floor.send(requestsInBlock) })
  }
  return comparisonRows(request, pairs, { cpu: 'warm: CPU, ms', latency: 'warm: latency, ms' })
}
