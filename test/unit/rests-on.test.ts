import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { restsOn } from '../requests/rests-on.ts'

const root = new URL('../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')

const [, section = ''] = read('test/README.md').split('\n## What this rests on\n')
const [, , ...rows] = (section.split('\n## ')[0]?.match(/^\|.*$/gm) ?? []).map((row) =>
  row.slice(2, -2).split(/ *\| */),
)

it('the behaviours that a request shows are those that the documentation marks', () => {
  const marked = rows.filter(([, , , smoke]) => smoke === 'yes').map(([behaviour]) => behaviour)
  expect(marked).toEqual(restsOn.map(({ title }) => title))
})

it.each(rows)(
  '"%s" has a document of AWS, a record in the same words or a report, and says where it was tested',
  (...row) => {
    const [behaviour, source = '', tested, smoke] = row
    const [, record] = /^\[recorded\]\((unit\/infra\/local\/gateway\.test\.ts)\)$/.exec(source) ?? []
    if (record !== undefined) expect(read(`test/${record}`)).toContain(`'${behaviour}'`)
    else expect(source).toMatch(/^reported$|^\[([\w.-]+)\]\(https:\/\/docs\.aws\.amazon\.com\/[\w/-]+\/\1\.html\)$/)
    expect(tested).toMatch(/^(locally|on the emulator|locally and on the emulator|never)$/)
    expect(smoke).toMatch(/^(yes)?$/)
  },
)
