import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Fact } from './recorded/fact.ts'
import { openRecordedGateway } from './recorded/gateway.ts'
import { gatewayResponseFacts } from './recorded/gateway-responses.ts'
import { requestFacts } from './recorded/requests.ts'
import { responseFacts } from './recorded/responses.ts'

openRecordedGateway()

const readme = readFileSync(new URL('../../../../infra/local/README.md', import.meta.url), 'utf8')
const [, differences = ''] = readme.split('\n## How local differs from AWS\n')
const reasons = new Map(
  [...differences.matchAll(/^\| (.*?) \| (.*) \|$/gm)].map(([, here = '', reason = '']) => [here, reason]),
)

describe.each([
  ['requests', requestFacts],
  ['responses', responseFacts],
  ['gateway responses', gatewayResponseFacts],
])('What is known of API Gateway: %s', (_of, facts) => {
  const title = ({ fact, source, certainty }: Fact) => `${fact} (${certainty}: ${source})`
  const [same, different] = [facts.filter(({ differs }) => !differs), facts.filter(({ differs }) => differs)]

  test.each(same.map((fact) => [title(fact), fact] as const))('%s', (_title, { holds }) => holds())

  test.each(different.map((fact) => [title(fact), fact] as const))(
    'The README says why it is different here: %s',
    async (_title, { differs = '', holds }) => {
      expect(reasons.get(differs)).toMatch(/\w/)
      await holds()
    },
  )
})
