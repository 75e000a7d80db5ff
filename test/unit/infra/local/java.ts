import { requireJava } from '../../../../infra/local/database/dynamodb-local.ts'

/** Whether this machine has a Java that runs DynamoDB Local. In continuous integration nothing is skipped unseen. */
export const hasJava = await requireJava().then(
  () => true,
  (error: Error) => {
    if (process.env['CI'] === 'true') throw error
    console.log(`The tests on DynamoDB Local are skipped: ${error.message}`)
    return false
  },
)
