import { expect, it } from 'vitest'
import { planNames } from '../../../../../shared/api-keys/plans.ts'
import { resolveStagingResources } from '../../../../fixtures/environment/templates.ts'

// The other keys of the account stay out of reach: the function can neither tag nor delete them.
it('gateway-keys reads all API keys, tags only those that it creates, and deletes only those of its environment', () => {
  const findStagingResources = resolveStagingResources()
  const policies = findStagingResources<{ PolicyDocument: { Statement: { Action: unknown }[] } }>('IAM::Policy')

  const statements = policies.flatMap(({ properties }) => properties.PolicyDocument.Statement)
  const gatewayStatements = statements.filter(({ Action }) => String(Action).includes('apigateway:'))

  const allKeys = 'arn:aws:apigateway:us-east-1::/apikeys'
  // The usage plans belong to one environment, so statements about them need no tag.
  const keysOfUsagePlans = planNames.map(() => expect.stringMatching(/\/usageplans\/[^/*]+\/keys$/))
  const requestHasTag = { StringEquals: { 'aws:RequestTag/environment': 'staging' } }
  const resourceHasTag = { StringEquals: { 'aws:ResourceTag/environment': 'staging' } }
  expect(gatewayStatements).toEqual([
    {
      Effect: 'Allow',
      Action: 'apigateway:GET',
      Resource: [allKeys, ...keysOfUsagePlans],
    },
    {
      Effect: 'Allow',
      Action: 'apigateway:POST',
      Resource: keysOfUsagePlans,
    },
    {
      Effect: 'Allow',
      Action: 'apigateway:POST',
      Resource: allKeys,
      Condition: requestHasTag,
    },
    {
      Effect: 'Allow',
      Action: 'apigateway:PUT',
      // IAM takes this variable for a plain asterisk, which stands for the id of a key that is being created.
      Resource: `arn:aws:apigateway:us-east-1::/tags/arn%3Aaws%3Aapigateway%3Aus-east-1%3A%3A%2Fapikeys%2F\${*}`,
      Condition: requestHasTag,
    },
    {
      Effect: 'Allow',
      Action: 'apigateway:DELETE',
      Resource: `${allKeys}/*`,
      Condition: resourceHasTag,
    },
  ])
})
