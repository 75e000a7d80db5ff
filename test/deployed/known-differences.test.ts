import { CloudFormationClient, CreateStackCommand, DeleteStackCommand } from '@aws-sdk/client-cloudformation'
import { describe, expect, it } from 'vitest'
import { isDeployed, keysJson, type Reached, reach } from './environments.ts'
import { unknownResourceTypes } from './known-differences.ts'

const noLonger = (what: string): void => console.warn(`The emulator does as AWS does by now: ${what}`)

/** What the emulator says to a stack of one resource; `undefined` when it takes it. */
const refusalOf = async (resource: Readonly<Record<string, unknown>>): Promise<string | undefined> => {
  const client = new CloudFormationClient({})
  const StackName = `try-${crypto.randomUUID()}`
  try {
    await client.send(
      new CreateStackCommand({ StackName, TemplateBody: JSON.stringify({ Resources: { One: resource } }) }),
    )
    await client.send(new DeleteStackCommand({ StackName }))
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const statusAt = async (url: string, headers: Readonly<Record<string, string>>): Promise<number> =>
  (await fetch(`${url}/pets?limit=1`, { headers })).status

/** These warn where a difference is gone, rather than fail: nothing is wrong with the service then. */
describe.skipIf(!isDeployed)('the emulator', () => {
  it.each(Object.entries(unknownResourceTypes))('does not know %s. Not tested: %s', async (type) => {
    const refusal = await refusalOf({ Type: type, Properties: {} })
    if (refusal === undefined) noLonger(`it knows ${type}`)
    else expect(refusal).toContain('Unrecognized resource types')
  })

  it('takes the key of a usage plan from a header, not from the authorizer', async () => {
    await using staging: Reached = await reach('staging')
    const words = ['--env', 'staging', '--plan', 'free', '--owner', 'x']
    const { apiKey } = await keysJson('issue', ...words)
    const headers = { Authorization: `Bearer ${apiKey}` }
    expect(await statusAt(staging.baseUrl, headers)).toBe(200)
    if ((await statusAt(staging.emulatorUrl, headers)) === 200) noLonger('front.ts need not send x-api-key')
  })
})
