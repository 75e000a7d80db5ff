import {
  type DatabaseCall,
  type ProxiedResponse,
  readDatabaseCalls,
  stallHalfway,
  startProxy,
} from '../../fixtures/proxy.ts'

/** As DynamoDB responds, "Error handling with DynamoDB" in its developer guide. */
const refusal = (status: number, type: string): ProxiedResponse => ({
  status,
  headers: ['Content-Type', 'application/x-amz-json-1.0'],
  body: Buffer.from(JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: 'Injected.' })),
})

type Forward = () => Promise<ProxiedResponse<Buffer>>

/** What can become of a call to DynamoDB, by what is responded. The engine gets it where a function forwards it. */
const outcomes = {
  /** The item, or the table, takes no more. */
  throttled: async () => refusal(400, 'ProvisionedThroughputExceededException'),
  'internal error': async () => refusal(500, 'InternalServerError'),
  'request lost': async () => undefined,
  'response lost': async (forward) => {
    await forward()
    return undefined
  },
  /** The response stops in its middle, and the connection stays. */
  'stalled response': async (forward) => {
    const response = await forward()
    return { ...response, body: stallHalfway(response.body) }
  },
  /** The response never begins, and the connection stays. */
  'no response': async (forward) => {
    await forward()
    return new Promise(() => {})
  },
} as const satisfies Record<string, (forward: Forward) => Promise<ProxiedResponse | undefined>>

export type Fault = keyof typeof outcomes

// The names of an object's properties are its own.
export const faults = Object.keys(outcomes) as readonly Fault[]

/** Decides on each attempt of a call. */
type Decide = (call: DatabaseCall) => Fault | undefined

/** Stands between functions and a DynamoDB engine, whose endpoint it is given. */
export const startFaultProxy = async (engine: string) => {
  const proxy = await startProxy(engine, async (request, forward) => {
    const calls = readDatabaseCalls(request)
    faulty.calls.push(...calls)
    const fault = calls.map((call) => faulty.decide(call)).find((decided) => decided !== undefined)
    return fault === undefined ? forward(request) : outcomes[fault](() => forward(request))
  })
  const faulty = { ...proxy, decide: (() => undefined) as Decide, calls: [] as DatabaseCall[] }
  return faulty
}

/** A fault of the first call that is meant, and of no other. */
export const onFirst = (fault: Fault, isMeant: (call: DatabaseCall) => boolean): Decide => {
  let hasMet = false
  return (call) => {
    if (hasMet || !isMeant(call)) return undefined
    hasMet = true
    return fault
  }
}
