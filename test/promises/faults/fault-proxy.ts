import { type Call, callsOf, type LocalProxy, type PassedResponse, stalled, startProxy } from '../../fixtures/proxy.ts'

/** What can become of a call to DynamoDB. The engine gets it where a response is lost, stalled or none. */
export const faults = [
  /** The item, or the table, takes no more. */
  'throttled',
  'internal error',
  'request lost',
  'response lost',
  /** The response stops in its middle, and the connection stays. */
  'stalled response',
  /** The response never begins, and the connection stays. */
  'no response',
] as const

export type Fault = (typeof faults)[number]

/** Stands between functions and a DynamoDB engine. */
export interface FaultProxy extends LocalProxy {
  /** Decides on each attempt of a call. */
  decide: (call: Call) => Fault | undefined
  /** All attempts, in order. */
  readonly calls: Call[]
}

/** As DynamoDB responds, "Error handling with DynamoDB" in its developer guide. */
const refusal = (status: number, type: string): PassedResponse => ({
  status,
  headers: ['Content-Type', 'application/x-amz-json-1.0'],
  body: Buffer.from(JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: 'Injected.' })),
})

/** @param engine the endpoint of a DynamoDB engine */
export const startFaultProxy = async (engine: string): Promise<FaultProxy> => {
  const proxy = await startProxy(engine, async (request, forward) => {
    const calls = callsOf(request)
    faulty.calls.push(...calls)
    const fault = calls.map((call) => faulty.decide(call)).find((decided) => decided !== undefined)
    switch (fault) {
      case 'throttled':
        return refusal(400, 'ProvisionedThroughputExceededException')
      case 'internal error':
        return refusal(500, 'InternalServerError')
      case 'request lost':
        return undefined
      case 'response lost':
        await forward(request)
        return undefined
      case 'stalled response':
        return forward(request).then((response) => ({ ...response, body: stalled(response.body) }))
      case 'no response':
        await forward(request)
        return new Promise(() => {})
      case undefined:
        return forward(request)
    }
  })
  const faulty: FaultProxy = { ...proxy, decide: () => undefined, calls: [] }
  return faulty
}

/** A fault of the first call that is meant, and of no other. */
export const onFirst = (fault: Fault, isMeant: (call: Call) => boolean = () => true): FaultProxy['decide'] => {
  let hasMet = false
  return (call) => {
    if (hasMet || !isMeant(call)) return undefined
    hasMet = true
    return fault
  }
}
