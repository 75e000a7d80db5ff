import { createRequire } from 'node:module'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { cacheExpressions, type ExpressionParser } from '../../../../infra/local/database/expression-cache.ts'
import { openDynalite } from '../../../fixtures/database/open-dynalite.ts'

let perform: Awaited<ReturnType<typeof openDynalite>>

beforeEach(async () => {
  perform = await openDynalite()
})

describe('An expression that was parsed before', () => {
  const update = async (expression: string, values: object, more: object = {}) =>
    perform('UpdateItem', {
      TableName: 'pets',
      Key: { id: { N: '7' } },
      UpdateExpression: expression,
      ExpressionAttributeValues: values,
      ReturnValues: 'ALL_NEW',
      ...more,
    })

  test('An expression that was parsed before is executed with the values of its own request', async () => {
    await update('SET age = :age', { ':age': { N: '1' } })
    const updated = await update('SET age = :age', { ':age': { N: '2' } })

    expect(updated).toMatchObject({ Attributes: { age: { N: '2' } } })
  })

  test('An expression that was parsed before is executed on the attributes that its own request names', async () => {
    await update('SET #name = :value', { ':value': { N: '1' } }, { ExpressionAttributeNames: { '#name': 'age' } })
    const names = { '#name': 'weight' }
    const updated = await update('SET #name = :value', { ':value': { N: '2' } }, { ExpressionAttributeNames: names })

    expect(updated).toMatchObject({ Attributes: { age: { N: '1' }, weight: { N: '2' } } })
  })

  test('An expression that was parsed before is refused with a value of a type that it does not allow', async () => {
    await update('SET age = :age - :one', { ':age': { N: '3' }, ':one': { N: '1' } })
    const refused = update('SET age = :age - :one', { ':age': { N: '3' }, ':one': { S: '1' } })

    await expect(refused).rejects.toThrow('Incorrect operand type for operator or function')
  })

  test('An expression that was parsed before is refused beside a value that it does not use', async () => {
    await update('SET age = :age', { ':age': { N: '1' } })
    const refused = update('SET age = :age', { ':age': { N: '1' }, ':other': { N: '1' } })

    await expect(refused).rejects.toThrow('unused in expressions: keys: {:other}')
  })

  test('A range that was parsed before is refused if its bounds are the wrong way round', async () => {
    const scan = async (from: string, to: string) =>
      perform('Scan', {
        TableName: 'pets',
        FilterExpression: 'age BETWEEN :from AND :to',
        ExpressionAttributeValues: { ':from': { N: from }, ':to': { N: to } },
      })
    await scan('1', '2')

    await expect(scan('2', '1')).rejects.toThrow('upper bound to be greater than or equal to lower bound')
  })
})

test('An expression is parsed once for all values of the same types', () => {
  const parse = vi.fn<ExpressionParser['parse']>(() => ({ type: '=' }))
  const parser = { parse }
  cacheExpressions(parser)

  const parseWithAge = (age: string) => {
    const context = { attrVals: { ':age': { N: age } }, unusedAttrNames: {}, unusedAttrVals: {} }
    parser.parse('age = :age', { context })
  }
  parseWithAge('1')
  parseWithAge('2')

  expect(parse).toHaveBeenCalledTimes(1)
})

// If an update of dynalite moves its parsers, or keeps a reference to their functions, nothing is cached any more.
test.each([
  {
    name: 'updateParser',
    operation: 'UpdateItem',
    expression: { UpdateExpression: 'SET age = :age', ExpressionAttributeValues: { ':age': { N: '1' } } },
  },
  {
    name: 'conditionParser',
    operation: 'UpdateItem',
    expression: { ConditionExpression: 'attribute_not_exists(age)' },
  },
  {
    name: 'projectionParser',
    operation: 'GetItem',
    expression: { ProjectionExpression: 'age' },
  },
])('dynalite parses expressions by the function of its module $name', async ({ name, operation, expression }) => {
  const parser: ExpressionParser = createRequire(import.meta.url)(`dynalite/db/${name}`)
  const parse = vi.spyOn(parser, 'parse')

  await perform(operation, { TableName: 'pets', Key: { id: { N: '7' } }, ...expression })

  expect(parse).toHaveBeenCalledOnce()
})
