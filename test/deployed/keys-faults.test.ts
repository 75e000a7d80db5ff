import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { GatewayRegistry } from '../../infra/operations/keys/deployed/gateway-registry.ts'
import { fixedPlans } from '../../shared/api-keys/plans.ts'
import { sized } from '../fixtures/size.ts'
import { loseFirstResponse, throttleFirst } from './emulator/aws-faults.ts'
import { isDeployed, type Reached, reach } from './environments.ts'

const allowance = { perMinute: 30_000, perDay: 1_000_000 }
const order = { owner: 'faults', plan: 'enterprise', allowance } as const

/** `PET_KEY_COMMANDS=300` kills more of them. */
const killCount = Number(process.env['PET_KEY_COMMANDS'] ?? sized(8, 300))

describe.skipIf(!isDeployed)('keys on AWS, where a call fails half-way,', () => {
  let production: Reached
  beforeAll(async () => {
    production = await reach('production')
    return production[Symbol.asyncDispose]
  })

  const issue = () => production.administration.issue(order)
  const repair = async () => (await production.administration.check(true)).findings.filter(({ repaired }) => !repaired)

  it.each(['CreateApiKey', 'CreateUsagePlanKey'] as const)(
    'are issued once when the response of %s is lost',
    async (operation) => {
      onTestFinished(loseFirstResponse(production.gateway, operation))
      const { record } = await issue()
      expect(await production.gatewayKeysOf(record.keyId)).toMatchObject([{ plans: ['enterprise'] }])
    },
  )

  it('are issued, a little later, when API Gateway throttles for a moment', async () => {
    onTestFinished(throttleFirst(production.gateway, 4))
    expect(await production.statusOf((await issue()).apiKey)).toBe(200)
  })

  it('are moved under load without a response other than 200 or 429', async () => {
    const { apiKey, record } = await issue()
    // As if it was an hour old: its requests are metered on its own API Gateway key.
    const stored = await production.table.find(record.keyId)
    if (stored === undefined) throw new Error('A key that was issued is stored.')
    await production.table.change(stored.keyHash, { meteredFrom: 0 })
    const statuses = new Map<number, number>()
    let isMoved = false
    const load = Array.from({ length: 4 }, async () => {
      while (!isMoved) {
        const status = await production.statusOf(apiKey)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
    })
    await production.administration.move(record.keyId, 'business', fixedPlans.business)
    isMoved = true
    await Promise.all(load)
    console.log('statuses during a move:', Object.fromEntries(statuses))
    expect([...statuses.keys()].filter((status) => status !== 200 && status !== 429)).toEqual([])
    expect(await production.gatewayKeysOf(record.keyId)).toMatchObject([{ plans: ['business'] }])
  })

  it(`are whole after a check, whenever the process of a command is killed, ${killCount} times`, {
    timeout: 60_000 + 20_000 * killCount,
  }, async () => {
    await production.administration.check(true)
    const env = ['--env', 'production']
    const counts = { killed: 0, ended: 0, unfinished: 0 }
    for (let kill = 0; kill < killCount; kill += 1) {
      const { apiKey, record } = await issue()
      const commands = [
        ['issue', '--plan', 'free', '--owner', 'killed'],
        ['rotate', record.keyId],
        ['move', record.keyId, '--plan', 'pro'],
        ['revoke', record.keyId, '--confirm', 'production'],
      ]
      const words = commands[kill % commands.length] ?? []
      const command = spawn(process.execPath, ['infra/operations/keys/keys.ts', ...words, ...env], { stdio: 'ignore' })
      const ended = once(command, 'exit')
      await Promise.race([ended, setTimeout(500 + Math.random() * 2_500)])
      if (command.kill('SIGKILL')) counts.killed += 1
      else counts.ended += 1
      await ended
      if (words[0] !== 'revoke') expect(await production.statusOf(apiKey)).toBe(200)
      counts.unfinished += (await production.administration.unfinished()).length
      expect(await repair()).toEqual([])
      expect(await production.administration.unfinished()).toEqual([])
      if (words[0] !== 'revoke') expect(await production.statusOf(apiKey)).toBe(200)
    }
    const active = (await production.administration.list()).filter(({ state }) => state === 'active')
    expect(
      (await new GatewayRegistry(production.gateway, production.environment).list())
        .map(({ value }) => value)
        .toSorted(),
    ).toEqual(active.map(({ gatewayKey }) => gatewayKey).toSorted())
    console.log('kills:', counts)
  })
})
