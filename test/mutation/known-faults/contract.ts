import type { KnownFault } from './known-fault.ts'

const requests = 'test/unit/functions/requests.test.ts'
const file = 'shared/contract/openapi.yaml'

/** Faults of the contract itself. The files that it generates follow it. */
export const contract: readonly KnownFault[] = [
  {
    title: 'a caller who asks for 101 pets gets them',
    file,
    find: 'minimum: 1, maximum: 100, default: 20',
    replaceBy: 'minimum: 1, maximum: 1000, default: 20',
    test: requests,
  },
  {
    title: 'a deprecated operation is removed earlier than announced',
    file,
    find: 'sunset: "2030-12-05"',
    replaceBy: 'sunset: "2027-12-05"',
    test: requests,
  },
  {
    title: 'a categoryId above 32 bits is refused',
    file,
    find: 'CategoryId:\n      type: integer\n      format: int64',
    replaceBy: 'CategoryId:\n      type: integer\n      format: int32',
    test: requests,
  },
]
