/** A proxy in front of DynamoDB whose status index lags behind the pets table. */
import { systemClock } from '../../../shared/clock.ts'
import { petsTableSchema } from '../../../shared/dynamodb/table-schemas.ts'
import { LaggingIndex, listPutItems, type NewestQuery } from '../../fixtures/database/lagging-index.ts'
import { type LocalProxy, type ProxiedResponse, readHeader, startProxy } from '../../fixtures/machine/proxy.ts'

interface Parameters extends NewestQuery {
  readonly TableName?: string
  readonly IndexName?: string
  readonly GlobalSecondaryIndexes?: readonly { readonly IndexName: string }[]
}

/**
 * Starts a proxy between programs and a DynamoDB engine without tables.
 *
 * @param lagMilliseconds time after which the index has a write
 */
export const startLaggingProxy = (engineEndpoint: string, lagMilliseconds: number): Promise<LocalProxy> => {
  const index = new LaggingIndex({ clock: systemClock, drawLag: () => lagMilliseconds })
  let petsTable = ''

  const learn = (operation: string, parameters: Parameters): void => {
    if (operation === 'CreateTable' && hasStatusIndex(parameters)) petsTable = parameters.TableName ?? ''
    for (const item of listPutItems(operation, parameters, petsTable)) index.follow(item)
  }

  return startProxy(engineEndpoint, async (request, forward) => {
    const operation = readHeader(request, 'x-amz-target').replace(/^.*\./, '')
    // The local environment first looks whether the engine responds, without an operation.
    if (operation === '') return forward(request)
    const parameters: Parameters = JSON.parse(request.body.toString())
    const isIndexQuery = parameters.IndexName !== undefined && parameters.TableName === petsTable
    if (isIndexQuery) return respond(index.query(parameters))

    const response = await forward(request)
    if (response.status === 200) learn(operation, parameters)
    return response
  })
}

const hasStatusIndex = ({ GlobalSecondaryIndexes = [] }: Parameters): boolean =>
  GlobalSecondaryIndexes.some(({ IndexName }) => IndexName === petsTableSchema.statusIndex.name)

const respond = (result: object): ProxiedResponse => {
  const body = Buffer.from(JSON.stringify(result))
  const headers = ['Content-Type', 'application/x-amz-json-1.0', 'Content-Length', String(body.length)]
  return { status: 200, headers, body }
}
