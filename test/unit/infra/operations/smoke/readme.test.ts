import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { awsDocuments, type Behaviour } from '../../../../../infra/operations/smoke/behaviour.ts'
import { hiddenBehaviours } from '../../../../../infra/operations/smoke/hidden-behaviours.ts'
import { visibleBehaviours } from '../../../../../infra/operations/smoke/visible-behaviours.ts'

const folder = 'test/unit/infra/local/recorded'
const root = new URL('../../../../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')

/** The texts of the files of recorded facts. Their modules would start the local gateway. */
const recorded = ['gateway-responses.ts', 'requests.ts', 'responses.ts'].map((file) => ({
  file,
  text: read(`${folder}/${file}`),
}))

const sourceOf = ({ behaviour, source }: Behaviour): string => {
  if (source !== 'record') return `[${/([^/]+)\.html$/.exec(source)?.[1]}](${awsDocuments}${source})`
  const file = recorded.find(({ text }) => text.includes(`'${behaviour}'`))?.file
  return `[recorded](../${folder}/${file})`
}

const rows = [
  ...visibleBehaviours.map((row) => ({ row, smoke: 'yes' })),
  ...hiddenBehaviours.map((row) => ({ row, smoke: '' })),
].map(({ row, smoke }) => `| ${row.behaviour} | ${sourceOf(row)} | ${row.tested} | ${smoke} |`.replace(/ {2}\|$/, ' |'))

it('what the service rests on is the table of the documentation, each row with a document or a record', () => {
  const [, section = ''] = read('infra/README.md').split('\n## What this rests on\n')
  const table = section.split('\n## ')[0]?.match(/^\|.*$/gm) ?? []
  expect(table.slice(2)).toEqual(rows)
  expect(rows.filter((row) => row.includes('undefined'))).toEqual([])
})
