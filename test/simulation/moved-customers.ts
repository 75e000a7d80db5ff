/** Customers whose key an operator moves to another plan just before `gateway-keys` runs, while they send requests. */
import type { Credential } from './callers.ts'
import { moveKey } from './key-operators.ts'
import { type Operators, openKeys, runCommand } from './operators.ts'
import { sendOnce } from './raw-callers.ts'
import { findNextGatewayKeysRun } from './schedule.ts'

/** The time from a move until requests are metered on the new gateway key: a run creates it, and an hour passes. */
const meteredAfterMilliseconds = 76 * 60_000

const longestLeadMilliseconds = 2_000

/** The time before and after a run in which the customer sends requests, and the longest pause between two. */
const burstMilliseconds = 4_000
const longestPauseMilliseconds = 100

/** Starts a customer of the plan Business, whose requests are metered on its gateway key already. */
export const startMovedCustomer = async (operators: Operators, credential: Credential): Promise<void> => {
  const { time, random, isOver, rest } = operators
  const own = random.fork()
  let meteredFrom = time.now
  for (let move = 1; ; move += 1) {
    const nextRun = findNextGatewayKeysRun(meteredFrom)
    await rest(nextRun - burstMilliseconds - time.now)
    if (isOver()) return
    const burst = sendBurst(operators, own, credential, nextRun + burstMilliseconds)
    await time.pause(nextRun - own.between(0, longestLeadMilliseconds) - time.now)
    const plan = move % 2 === 1 ? 'pro' : 'business'
    await runCommand(operators, {
      kind: 'keys move',
      subject: credential.apiKey,
      run: (process) => moveKey(operators, openKeys(operators, process), credential.apiKey, plan),
    })
    await burst
    meteredFrom = time.now + meteredAfterMilliseconds
  }
}

const sendBurst = async (
  { time }: Operators,
  random: Operators['random'],
  { apiKey }: Credential,
  end: number,
): Promise<void> => {
  while (time.now < end) {
    // The next request does not wait for the response.
    void sendOnce(apiKey)
    await time.pause(random.between(1, longestPauseMilliseconds))
  }
}
