import { BatchGetCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { systemClock } from '../../../shared/clock.ts'
import { UserError } from '../../command-line/user-error.ts'

/** Largest difference between the clock of this machine and that of the service. */
const maximumDifferenceMilliseconds = 10_000

/**
 * Compares the clock of this machine with the `Date` of a response of DynamoDB. Ids of new pets contain the time, and
 * callers of the API list pets by their ids: an id that is ahead would stay on top of the list, and callers who follow
 * new pets would miss one that is behind.
 *
 * @throws UserError if the clock is off by more than ten seconds
 */
export const checkClock = async (database: DynamoDBDocumentClient, petsTable: string): Promise<void> => {
  const date = await requestDate(database, petsTable)
  // A server without a clock sends no `Date` (RFC 9110).
  if (date === undefined) return
  // `Date` has whole seconds, so the service's time is between it and a second later: half a second is added.
  const difference = Date.parse(date) + 500 - systemClock()
  if (Math.abs(difference) <= maximumDifferenceMilliseconds) return
  const time = new Date(systemClock()).toISOString()
  throw new UserError(`The clock of this machine says ${time}, and the service says ${date}. Set the clock.`)
}

/**
 * Requests an item that does not exist, and returns the `Date` of the response. The request is a batch, because
 * operators may not call GetItem (`operator-policy.json`).
 */
const requestDate = async (database: DynamoDBDocumentClient, petsTable: string): Promise<string | undefined> => {
  const request = new BatchGetCommand({ RequestItems: { [petsTable]: { Keys: [{ id: 0 }] } } })
  let date: string | undefined
  request.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args)
      // The type of a response depends on the protocol; that of DynamoDB is HTTP.
      const { headers } = result.response as { readonly headers?: Readonly<Record<string, string>> }
      date = headers?.['date']
      return result
    },
    { step: 'deserialize' },
  )
  await database.send(request)
  return date
}
