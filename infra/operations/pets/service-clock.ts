import { BatchGetCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import type { Clock } from '../../../shared/clock.ts'
import { UserError } from '../../command-line/user-error.ts'

/** Largest difference between the clock of this machine and that of the service. */
const maximumDifferenceMilliseconds = 60_000

/**
 * Opens the clock by which ids of new pets are drawn: that of this machine, corrected by the `Date` of a response of
 * DynamoDB. Callers list pets by their ids, so an id that is ahead would stay on top of the list, and callers who
 * follow new pets would miss one that is behind.
 *
 * @throws UserError if the clock of this machine is off by more than a minute
 */
export const openServiceClock = async (
  database: DynamoDBDocumentClient,
  table: string,
  clock: Clock,
): Promise<Clock> => {
  const date = await requestDate(database, table)
  // `Date` has whole seconds.
  const difference = date === undefined ? 0 : Date.parse(date) + 500 - clock()
  if (Math.abs(difference) > maximumDifferenceMilliseconds) {
    const time = new Date(clock()).toISOString()
    throw new UserError(`The clock of this machine says ${time}, and the service says ${date}. Set the clock.`)
  }
  return () => clock() + difference
}

/** Requests an item that does not exist. @returns the `Date` of the response */
const requestDate = async (database: DynamoDBDocumentClient, table: string): Promise<string | undefined> => {
  const request = new BatchGetCommand({ RequestItems: { [table]: { Keys: [{ id: 0 }] } } })
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
