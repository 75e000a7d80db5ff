import { expect, it } from 'vitest'
import { runNode } from '../fixtures/machine/node-process.ts'
import { startProxy } from '../fixtures/machine/proxy.ts'
import { emulatorUrl, isDeployed, openDeployedEnvironment, readStackOutput } from './environments.ts'

/** Facts that the emulator contradicts, each with the difference between the emulator and AWS. */
const contradictedFacts: Readonly<Record<string, string>> = {
  'A body of 7 MB is REQUEST_TOO_LARGE, 413: Lambda takes 6 MB, API Gateway 10 MB.':
    'The function of the emulator takes a body of any size.',
  'A response has the request ids of the access log, `x-amzn-RequestId` and `x-amz-apigw-id`.':
    'The emulator sends no `x-amz-apigw-id`.',
  'A security policy refuses old TLS; `STRICT` refuses requests for another host name.':
    'The emulator serves the API without TLS.',
  'An expired item is deleted some time later, and read until then.':
    "The emulator's CloudFormation does not set the time to live of a table.",
}

/** Opens an address for the CloudFront of the emulator, which finds the distribution by the host of a request. */
const openReference = async () => {
  const { host } = new URL(await readStackOutput('pet-adoption-staging-reference', 'ReferenceUrl'))
  return startProxy(emulatorUrl, (request, forward) =>
    forward({ ...request, headers: ['Host', host, 'X-Forwarded-Proto', 'https'] }),
  )
}

it.skipIf(!isDeployed)('npm run facts finds only the known differences of the emulator', async () => {
  await using staging = await openDeployedEnvironment('staging')
  await using reference = await openReference()
  const addresses = ['--base-url', staging.baseUrl, '--reference-url', reference.endpoint]

  const { output, errors } = await runNode(['test/facts/facts.ts', '--env', 'staging', ...addresses, '--json'])

  const { facts }: { readonly facts: readonly { behaviour: string; contradiction: string | null }[] } =
    JSON.parse(output)
  const contradicted = facts.filter(({ contradiction }) => contradiction !== null)
  const message = `${errors}${JSON.stringify(contradicted)}`
  expect(contradicted.map(({ behaviour }) => behaviour).toSorted(), message).toEqual(
    Object.keys(contradictedFacts).toSorted(),
  )
})
