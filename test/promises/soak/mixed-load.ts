import type { Findings } from './findings.ts'

interface Pet {
  readonly id: number
  readonly name: string
  readonly status: string
}

/** One round of what callers do, with a key that has room for it: what is right, and what is refused. */
export const runMixedRound = async (findings: Findings, apiKey: string, round: number): Promise<void> => {
  const name = `Pet ${round}`
  const body = JSON.stringify({ name, categoryId: round, status: 'pending' })
  const created = await findings.send({
    name: 'create',
    method: 'POST',
    target: '/pets',
    apiKey,
    body,
    expected: [201],
  })
  if (created.status === 201) {
    const { id }: Pet = JSON.parse(created.text)
    const got = await findings.send({ name: 'get', target: `/pets/${id}`, apiKey, expected: [200] })
    if (got.text !== created.text) findings.fault(`get: ${got.text} is not what was created: ${created.text}`)
  }
  const filtered = await findings.send({
    name: 'list, filtered',
    target: '/pets?status=pending&limit=20',
    apiKey,
    expected: [200],
  })
  if (petsOf(filtered.text).some(({ status }) => status !== 'pending')) findings.fault('list, filtered: another status')
  await followPages(findings, apiKey, round)
  await sendMistake(findings, apiKey, round)
}

const pages = 3

/** Ids fall from page to page, whatever is added meanwhile. */
const followPages = async (findings: Findings, apiKey: string, round: number): Promise<void> => {
  let target: string | undefined = '/pets?limit=10'
  let last = Number.POSITIVE_INFINITY
  for (let page = 0; page < pages && target !== undefined; page += 1) {
    const response = await findings.send({ name: 'list', target, apiKey, expected: [200] })
    for (const { id } of petsOf(response.text)) {
      if (id >= last) findings.fault(`list: ${id} comes after ${last}`)
      last = id
    }
    target = /<[^>]+\/v1(\/[^>]+)>; rel="next"/.exec(response.headers.get('Link') ?? '')?.[1]
  }
  // Each round has added a pet, so there are more than these pages by now.
  if (round > pages * 10 && target === undefined) findings.fault('list: no further page, though there are more pets')
}

const petsOf = (text: string): readonly Pet[] => (text.startsWith('[') ? JSON.parse(text) : [])

const mistakes = [
  { name: 'limit out of range', target: '/pets?limit=101', expected: [400] },
  { name: 'broken cursor', target: '/pets?cursor=broken', expected: [400] },
  { name: 'no such pet', target: '/pets/1', expected: [404] },
  { name: 'no such path', target: '/animals', expected: [404] },
  { name: 'no such method', method: 'DELETE', target: '/pets', expected: [405] },
  { name: 'no JSON', method: 'POST', target: '/pets', body: '{', expected: [400] },
  { name: 'no name', method: 'POST', target: '/pets', body: '{"categoryId":1}', expected: [400] },
  {
    name: 'no JSON type',
    method: 'POST',
    target: '/pets',
    body: 'x',
    headers: { 'content-type': 'text/plain' },
    expected: [415],
  },
  { name: 'reserved', target: '/store/orders', expected: [501] },
] as const

const sendMistake = async (findings: Findings, apiKey: string, round: number): Promise<void> => {
  const mistake = mistakes[round % mistakes.length]
  if (mistake !== undefined) await findings.send({ ...mistake, apiKey })
  await findings.send({ name: 'malformed key', target: '/pets', apiKey: `${apiKey}x`, expected: [401] })
}
