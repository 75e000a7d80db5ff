import { demoKeys } from '../infra/local/samples/demo-keys.ts'

/**
 * Well-formed keys that everybody may see: the demo keys, which exist in local environments only, and two
 * that were never issued anywhere: the one of the recorded events, and the example of the format's test.
 */
export const publicKeys: ReadonlySet<string> = new Set([
  ...demoKeys('pet_test_').map(({ apiKey }) => apiKey),
  'pet_test_RecordedEventFixture0000000000ab0Aoqfn',
  'pet_live_000000000000000000000000000000004HWLXb',
])
