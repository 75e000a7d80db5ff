/**
 * Completes dynalite: it ignores `ReturnValuesOnConditionCheckFailure`, so its ConditionalCheckFailedException never has
 * the `Item` that the DynamoDB API Reference documents for `ALL_OLD`. Two things are changed in the modules that `require`
 * has in its cache, before dynalite itself is loaded.
 */
export const completeDynalite = (require: NodeJS.Require): void => {
  for (const operation of ['putItem', 'updateItem', 'deleteItem']) {
    // Checking a request removes what is not named here.
    const { types } = require(`dynalite/validations/${operation}`)
    types.ReturnValuesOnConditionCheckFailure = { type: 'String', enum: ['ALL_OLD', 'NONE'] }
  }
  const db: { checkConditional: CheckConditional } = require('dynalite/db')
  const { checkConditional } = db
  db.checkConditional = (request, existingItem) => {
    const failure = checkConditional(request, existingItem)
    const isRequested = request.ReturnValuesOnConditionCheckFailure === 'ALL_OLD'
    // Where there is no item, DynamoDB's exception has none either.
    if (failure && isRequested && existingItem) failure.body.Item = existingItem
    return failure
  }
}

type CheckConditional = (
  request: { readonly ReturnValuesOnConditionCheckFailure?: string },
  existingItem: object | undefined,
) => { readonly body: { Item?: object } } | null | undefined
