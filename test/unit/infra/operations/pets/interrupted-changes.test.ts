import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createPetsTool } from '../../../../../infra/operations/pets/pets-tool.ts'
import type { Pet } from '../../../../../shared/pets/pet.ts'
import { createClients } from '../../../../fixtures/clients.ts'
import { type Colleague, createColleague } from '../../../../fixtures/colleague.ts'
import { readAudit, registerLocalEnvironment, runToolInProcess } from '../../../../fixtures/commands.ts'
import { type FaultProxy, startFaultProxy } from '../../../../fixtures/fault-proxy.ts'

const bella: Pet = { id: 5n, name: 'Bella', categoryId: 1n, status: 'available' }
const milo: Pet = { id: 6n, name: 'Milo', categoryId: 1n, status: 'available' }

describe('npm run pets with a write that fails', () => {
  let environment: Awaited<ReturnType<typeof registerLocalEnvironment>>
  let colleague: Colleague

  const run = (...words: readonly string[]) => runToolInProcess(createPetsTool(), [...words, ...environment.options])

  /** Lets the credentials expire for the second of two writes. Two reads come before the first one. */
  const failSecondWrite = (proxy: FaultProxy): void => {
    let call = 0
    proxy.chooseFault = () => {
      call += 1
      return call === 4 ? 'expired credentials' : undefined
    }
  }

  beforeEach(async () => {
    environment = await registerLocalEnvironment(async (endpoint) => {
      const proxy = await startFaultProxy(endpoint)
      onTestFinished(() => proxy[Symbol.asyncDispose]())
      failSecondWrite(proxy)
      return proxy
    })
    const { client } = createClients(environment.engine)
    colleague = createColleague(client, environment.tables.pets)
    await colleague.store(bella)
    await colleague.store(milo)
  })

  const listAuditedOutcomes = () => readAudit(environment.dataFolder).map(({ outcome }) => outcome)

  it('set says how many pets are changed, and can be repeated', async () => {
    const { errors, exitCode } = await run('set', '5', '6', '--status', 'sold')

    expect(errors).toMatch(/^The AWS credentials have expired .* 1 of 2 pets done\. To go on, run the same command/)
    expect(exitCode).toBe(1)
    expect(listAuditedOutcomes().toSorted()).toEqual(['begun', 'begun', 'done', 'failed'])

    expect(await run('set', '5', '6', '--status', 'sold')).toMatchObject({ exitCode: 0 })
    const pets = await colleague.list()
    expect(pets.map(({ status }) => status)).toEqual(['sold', 'sold'])
  })

  it('remove says how many pets are removed, and can be repeated', async () => {
    const { errors } = await run('remove', '5', '6')

    expect(errors).toContain(' 1 of 2 pets done. To go on, run the same command again.')
    expect(await colleague.list()).toHaveLength(1)

    const { output } = await run('remove', '5', '6')
    expect(output).toContain('1 removed, 1 unchanged.')
    expect(await colleague.list()).toEqual([])
  })
})
