/**
 * Stands in for the AWS CLI, which a machine need not have: makes the call `aws dynamodb update-item`.
 *
 * @example
 *
 *     node test/unit/infra/commands/keys/aws-stand-in.ts dynamodb update-item --table-name T --key '{"id":{"N":"5"}}'
 */
import { parseArgs } from 'node:util'
import { UpdateItemCommand } from '@aws-sdk/client-dynamodb'
import { connectToLocalDatabase } from '../../../../../infra/commands/environment/local-database.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'table-name': { type: 'string' },
    key: { type: 'string', default: '{}' },
    'condition-expression': { type: 'string' },
    'update-expression': { type: 'string' },
    'expression-attribute-names': { type: 'string', default: '{}' },
    'expression-attribute-values': { type: 'string', default: '{}' },
  },
})
if (positionals.join(' ') !== 'dynamodb update-item') throw new Error(`There is no call ${positionals.join(' ')}.`)

await connectToLocalDatabase(process.env['AWS_ENDPOINT_URL'] ?? '').send(
  new UpdateItemCommand({
    TableName: values['table-name'],
    Key: JSON.parse(values.key),
    ConditionExpression: values['condition-expression'],
    UpdateExpression: values['update-expression'],
    ExpressionAttributeNames: JSON.parse(values['expression-attribute-names']),
    ExpressionAttributeValues: JSON.parse(values['expression-attribute-values']),
  }),
)
