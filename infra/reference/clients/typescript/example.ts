/* Run it: `node example.ts`, with Node.js 22.18 or later. */
import { PetAdoptionClient } from './pet-adoption-client.ts'

const client = new PetAdoptionClient({
  baseUrl: 'http://127.0.0.1:3000/v1',
  apiKey: 'pet_test_07ed400759a0f606a8b5bfa84712aabe29HBVv',
})

// Send a first request.
console.log(await client.page({ limit: 3 }))

// Go through all pets that are available, page by page.
for await (const pet of client.pets({ status: 'available' })) console.log(pet.id, pet.name)

// Add a pet. It is added once, even if the request has to be sent again.
const bella = await client.createPet({ name: 'Bella', categoryId: 1 })
console.log(bella.id, bella.name)
