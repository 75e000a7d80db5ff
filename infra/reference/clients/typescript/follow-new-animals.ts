/* Run it: `node follow-new-animals.ts`, with Node.js 22.18 or later. */
import { setTimeout } from 'node:timers/promises'
import { createPetAdoptionClient, pets } from './pet-adoption-client.ts'

const client = createPetAdoptionClient({
  baseUrl: 'http://127.0.0.1:3000/v1',
  apiKey: 'pet_test_07ed400759a0f606a8b5bfa84712aabe29HBVv',
})

const firstSeen = new Map<number, number>() // milliseconds, by id
let previousPoll = 0

while (true) {
  const thisPoll = performance.now()

  // 1. Read newest to oldest.
  for await (const pet of pets(client)) {
    // 2. An animal not seen before is new. Remember when you first saw it.
    const seen = firstSeen.get(pet.id) ?? performance.now()
    if (!firstSeen.has(pet.id)) console.log('New:', pet.id, pet.name)
    firstSeen.set(pet.id, seen)

    // 3. Stop at an animal first seen a minute before the previous poll.
    if (seen < previousPoll - 60_000) break
  }

  previousPoll = thisPoll
  await setTimeout(120_000) // 720 polls a day: the plan Free allows 1,000 requests
}
