/**
 * Completes dynalite: it ignores `ReturnValuesOnConditionCheckFailure`, so its
 * ConditionalCheckFailedException never has the `Item` that the DynamoDB API Reference documents for
 * `ALL_OLD`. Two things are changed, both in the modules that `require` has in its cache, before
 * dynalite itself is loaded:
 *
 * - the three write operations accept the parameter: a validation removes what its `types` does not name;
 * - `checkConditional`, which has the request and the existing item, adds that item to the exception.
 */
export const completeDynalite = (require: NodeJS.Require): void => {
  for (const operation of ['putItem', 'updateItem', 'deleteItem']) {
    const validation: Validation = require(`dynalite/validations/${operation}`)
    validation.types['ReturnValuesOnConditionCheckFailure'] = { type: 'String', enum: ['ALL_OLD', 'NONE'] }
  }
  const db: { checkConditional: CheckConditional } = require('dynalite/db')
  const checkConditional = db.checkConditional
  db.checkConditional = (request, existingItem) => {
    const failure = checkConditional(request, existingItem)
    const isRequested = request.ReturnValuesOnConditionCheckFailure === 'ALL_OLD'
    // Where there is no item, DynamoDB's exception has none either.
    if (failure && isRequested && existingItem) failure.body.Item = existingItem
    return failure
  }
}

interface Validation {
  readonly types: Record<string, object>
}

interface WriteRequest {
  readonly ReturnValuesOnConditionCheckFailure?: string
}

interface ConditionFailure {
  readonly body: { Item?: object }
}

type CheckConditional = (request: WriteRequest, existingItem: object | undefined) => ConditionFailure | null | undefined
