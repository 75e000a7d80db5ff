import type { KnownFault } from './known-fault.ts'

const permissionTests = 'test/promises/permissions/permissions.test.ts'
const gatewayKeys = 'test/unit/infra/constructs/api/gateway-keys.test.ts'

/** Faults of permissions: something may do more than it needs, or less. */
export const permissions: readonly KnownFault[] = [
  {
    title: 'the function of GET may write pets',
    file: 'infra/constructs/functions/table-access.ts',
    find: "'get-pet': [{ table: 'pets', actions: ['dynamodb:GetItem'] }],",
    replaceBy: "'get-pet': [{ table: 'pets', actions: ['dynamodb:GetItem', 'dynamodb:PutItem'] }],",
    test: permissionTests,
  },
  {
    title: 'the function of the list may not read the index',
    file: 'infra/constructs/functions/table-access.ts',
    find: "index: petsTableSchema.statusIndex.name, actions: ['dynamodb:Query']",
    replaceBy: "actions: ['dynamodb:Query']",
    test: permissionTests,
  },
  {
    title: 'the authorizer may not read a key whose writes are throttled',
    file: 'infra/constructs/functions/table-access.ts',
    find: "authorizer: [{ table: 'apiKeys', actions: ['dynamodb:GetItem', 'dynamodb:UpdateItem'] }],",
    replaceBy: "authorizer: [{ table: 'apiKeys', actions: ['dynamodb:UpdateItem'] }],",
    test: permissionTests,
  },
  {
    title: 'every function may write every log',
    file: 'infra/constructs/functions/service-function.ts',
    find: 'this.logGroup.grantWrite(role)',
    replaceBy: "role.addToPolicy(new PolicyStatement({ actions: ['logs:*'], resources: ['*'] }))",
    test: 'test/unit/infra/stacks/findings.test.ts',
  },
  {
    title: 'gateway-keys of staging may delete the keys of production',
    file: 'infra/constructs/api/gateway-keys.ts',
    find: 'conditions: resourceHasTag,',
    replaceBy: '',
    test: gatewayKeys,
  },
]
