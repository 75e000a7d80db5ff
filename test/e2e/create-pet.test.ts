import { describe, expect, it } from 'vitest'
import { fixedPlans } from '../../shared/api-keys/plans.ts'
import { call, type ErrorBody, type Pet } from './api.ts'
import { administration, canIssueKeys, issueKey } from './issue-key.ts'

describe('POST /pets', () => {
  it('adds a pet and assigns an id that every JSON client reads exactly', async () => {
    const response = await call('POST', '/pets', { body: { name: 'Bella', categoryId: 3, status: 'pending' } })
    expect(response.status).toBe(201)
    const pet = response.json<Pet>()
    expect(pet).toEqual({ id: pet.id, name: 'Bella', categoryId: 3, status: 'pending' })
    expect(Number.isSafeInteger(pet.id)).toBe(true)
    expect((await call('GET', `/pets/${pet.id}`)).json()).toEqual(pet)
  })

  it('makes a pet available when no status is given', async () => {
    expect((await call('POST', '/pets', { body: { name: 'Rex', categoryId: 1 } })).json<Pet>().status).toBe('available')
  })

  it.each(['9223372036854775807', '-9223372036854775808', '9007199254740993', '0', '-1'])(
    'keeps the categoryId %s to the digit, from request to table to response',
    async (categoryId) => {
      const response = await call('POST', '/pets', { body: `{"name":"Exact","categoryId":${categoryId}}` })
      expect(response.status).toBe(201)
      expect(response.text).toContain(`"categoryId":${categoryId},`)
      const got = await call('GET', `/pets/${response.json<Pet>().id}`)
      expect(got.text).toBe(response.text)
    },
  )

  it.each([
    ' Bella ',
    'é',
    '犬',
    '🐶'.repeat(255),
    'a'.repeat(255),
    'tab\tand\nline',
    'quote"back\\slash',
    'nul\u0000',
  ])('keeps the name %j as it was sent', async (name) => {
    const response = await call('POST', '/pets', { body: { name, categoryId: 1 } })
    expect(response.status).toBe(201)
    const pet = response.json<Pet>()
    expect(pet.name).toBe(name)
    expect((await call('GET', `/pets/${pet.id}`)).json<Pet>().name).toBe(name)
  })

  it.each([
    ['{"categoryId":1}', 'name'],
    ['{"name":"Bella"}', 'categoryId'],
    ['{}', 'required'],
    ['{"name":"","categoryId":1}', 'name'],
    ['{"name":" \\t\\n\\u00a0","categoryId":1}', 'name'],
    [`{"name":"${'a'.repeat(256)}","categoryId":1}`, 'name'],
    ['{"name":"\\ud800","categoryId":1}', 'name'],
    ['{"name":7,"categoryId":1}', 'name'],
    ['{"name":null,"categoryId":1}', 'name'],
    ['{"name":"Bella","categoryId":"1"}', 'categoryId'],
    ['{"name":"Bella","categoryId":1.5}', 'categoryId'],
    ['{"name":"Bella","categoryId":1.0000000000000000001}', 'categoryId'],
    ['{"name":"Bella","categoryId":null}', 'categoryId'],
    ['{"name":"Bella","categoryId":9223372036854775808}', 'categoryId'],
    ['{"name":"Bella","categoryId":-9223372036854775809}', 'categoryId'],
    ['{"name":"Bella","categoryId":1e400}', 'categoryId'],
    ['{"name":"Bella","categoryId":1,"status":"lost"}', 'status'],
    ['{"name":"Bella","categoryId":1,"status":null}', 'status'],
    ['{"name":"Bella","categoryId":1,"colour":"red"}', 'colour'],
    ['{"name":"Bella","categoryId":1,"id":5}', 'id'],
    ['{"name":"Bella","categoryId":1,"__proto__":{"status":"sold"}}', 'key'],
    ['[]', 'JSON object'],
    ['null', 'JSON object'],
    ['"Bella"', 'JSON object'],
    ['5', 'JSON object'],
  ])('responds 400 to the body %s and names %s', async (body, name) => {
    const response = await call('POST', '/pets', { body })
    expect(response.status).toBe(400)
    expect(response.json<ErrorBody>().code).toBe('invalid_body')
    expect(response.json<ErrorBody>().message).toContain(name)
  })

  it.each(['{', '{"name":"Bella",}', 'name=Bella', "{'name':'Bella'}", '{"name":"Bella","categoryId":01}', '\u0000'])(
    'responds 400 to the body %j, which is not JSON',
    async (body) => {
      const response = await call('POST', '/pets', { body })
      expect(response.status).toBe(400)
      expect(response.json<ErrorBody>().code).toBe('malformed_json')
    },
  )

  it('responds 400 to a missing body', async () => {
    const response = await call('POST', '/pets', { headers: { 'Content-Type': 'application/json' } })
    expect(response.status).toBe(400)
    expect(response.json<ErrorBody>().code).toBe('invalid_body')
  })

  it('responds 400 to JSON that is nested deeper than anything reads', async () => {
    const response = await call('POST', '/pets', { body: '['.repeat(8_000) + ']'.repeat(8_000) })
    expect(response.status).toBe(400)
  })

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/xml'])(
    'responds 415 to a body that is declared as %s',
    async (type) => {
      const response = await call('POST', '/pets', {
        headers: { 'Content-Type': type },
        body: '{"name":"Bella","categoryId":1}',
      })
      expect(response.status).toBe(415)
    },
  )

  it.each([
    'application/json; charset=utf-8',
    'application/json ; charset=utf-8',
    'APPLICATION/JSON',
    'application/merge-patch+json',
  ])('takes a body that is declared as %s', async (type) => {
    const response = await call('POST', '/pets', {
      headers: { 'Content-Type': type },
      body: '{"name":"Bella","categoryId":1}',
    })
    expect(response.status).toBe(201)
  })

  it('responds 400 to a query parameter, which the operation does not take', async () => {
    const response = await call('POST', '/pets?limit=5', { body: { name: 'Bella', categoryId: 1 } })
    expect(response.status).toBe(400)
    expect(response.json<ErrorBody>().code).toBe('invalid_parameter')
  })
})

describe('POST /pets with an Idempotency-Key', () => {
  const body = { name: 'Once', categoryId: 7 }

  it('returns the same pet to the second request, marked as replayed', async () => {
    const headers = { 'Idempotency-Key': crypto.randomUUID() }
    const first = await call('POST', '/pets', { headers, body })
    const second = await call('POST', '/pets', { headers, body: { categoryId: 7, name: 'Once', status: 'available' } })
    expect(first.status).toBe(201)
    expect(first.headers.get('Idempotency-Replayed')).toBeNull()
    expect(second.status).toBe(201)
    expect(second.headers.get('Idempotency-Replayed')).toBe('true')
    expect(second.text).toBe(first.text)
  })

  it('responds 422 to the same key with another body', async () => {
    const headers = { 'Idempotency-Key': crypto.randomUUID() }
    await call('POST', '/pets', { headers, body })
    const other = await call('POST', '/pets', { headers, body: { ...body, name: 'Twice' } })
    expect(other.status).toBe(422)
    expect(other.json<ErrorBody>().code).toBe('idempotency_key_reused')
  })

  it('adds one pet when twenty requests come at once', async () => {
    const headers = { 'Idempotency-Key': crypto.randomUUID() }
    const own = { ...body, name: `Once ${headers['Idempotency-Key']}` }
    const responses = await Promise.all(Array.from({ length: 20 }, () => call('POST', '/pets', { headers, body: own })))
    const pets = responses.filter((response) => response.status === 201).map((response) => response.json<Pet>().id)
    expect(responses.every((response) => response.status === 201 || response.status === 409)).toBe(true)
    expect(new Set(pets).size).toBe(1)
    const newest = (await call('GET', '/pets?limit=100')).json<Pet[]>()
    expect(newest.filter(({ name }) => name === own.name)).toHaveLength(1)
  })

  it.skipIf(!canIssueKeys)('adds the pet once when it is sent again with the successor of the API key', async () => {
    const { apiKey, keyId } = await issueKey('free', fixedPlans.free)
    const headers = { 'Idempotency-Key': crypto.randomUUID() }
    const first = await call('POST', '/pets', { key: apiKey, headers, body })
    const successor = await administration().rotate(keyId, 60)
    const second = await call('POST', '/pets', { key: successor.apiKey, headers, body })
    expect(second.headers.get('Idempotency-Replayed')).toBe('true')
    expect(second.text).toBe(first.text)
  })

  it.each(['', 'a'.repeat(256)])('responds 400 to a key of the wrong length', async (key) => {
    const response = await call('POST', '/pets', { headers: { 'Idempotency-Key': key }, body })
    expect(response.status).toBe(400)
    expect(response.json<ErrorBody>().code).toBe('invalid_header')
  })
})
