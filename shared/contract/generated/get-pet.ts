// Generated from shared/contract/openapi.yaml by `npm run generate`. Do not edit.
// @ts-nocheck

const validate: import("../../http/operation-contract.ts").OperationContract['validate'] = validate0;
const schema0 = {"type":"object","required":["path","query","headers"],"properties":{"path":{"type":"object","additionalProperties":false,"required":["petId"],"properties":{"petId":{"integer":{"minimum":"-9223372036854775808","maximum":"9223372036854775807"}}}},"query":{"type":"object","additionalProperties":false,"required":[],"properties":{}},"headers":{"type":"object","additionalProperties":false,"required":[],"properties":{}}}};

function validate0(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate0.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((data.path === undefined) && (missing0 = "path")) || ((data.query === undefined) && (missing0 = "query"))) || ((data.headers === undefined) && (missing0 = "headers"))){
validate0.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
if(data.path !== undefined){
let data0 = data.path;
const _errs1 = errors;
if(errors === _errs1){
if(data0 && typeof data0 == "object" && !Array.isArray(data0)){
let missing1;
if((data0.petId === undefined) && (missing1 = "petId")){
validate0.errors = [{instancePath:instancePath+"/path",schemaPath:"#/properties/path/required",keyword:"required",params:{missingProperty: missing1}}];
return false;
}
else {
const _errs3 = errors;
for(const key0 in data0){
if(!(key0 === "petId")){
validate0.errors = [{instancePath:instancePath+"/path",schemaPath:"#/properties/path/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs3 === errors){
if(data0.petId !== undefined){
let data1 = data0.petId;
if(!(typeof data1 === "bigint" && data1 >= -9223372036854775808n && data1 <= 9223372036854775807n)){
validate0.errors = [{instancePath:instancePath+"/path/petId",schemaPath:"#/properties/path/properties/petId/integer",keyword:"integer",params:{}}];
return false;
}
}
}
}
}
else {
validate0.errors = [{instancePath:instancePath+"/path",schemaPath:"#/properties/path/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid0 = _errs1 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.query !== undefined){
let data2 = data.query;
const _errs5 = errors;
if(errors === _errs5){
if(data2 && typeof data2 == "object" && !Array.isArray(data2)){
for(const key1 in data2){
validate0.errors = [{instancePath:instancePath+"/query",schemaPath:"#/properties/query/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key1}}];
return false;
break;
}
}
else {
validate0.errors = [{instancePath:instancePath+"/query",schemaPath:"#/properties/query/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.headers !== undefined){
let data3 = data.headers;
const _errs8 = errors;
if(errors === _errs8){
if(data3 && typeof data3 == "object" && !Array.isArray(data3)){
for(const key2 in data3){
validate0.errors = [{instancePath:instancePath+"/headers",schemaPath:"#/properties/headers/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key2}}];
return false;
break;
}
}
else {
validate0.errors = [{instancePath:instancePath+"/headers",schemaPath:"#/properties/headers/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
else {
validate0.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"}}];
return false;
}
}
validate0.errors = vErrors;
return errors === 0;
}
validate0.evaluated = {"props":{"path":true,"query":true,"headers":true},"dynamicProps":false,"dynamicItems":false};

export const getPet = {
  ...({
  "operationId": "getPet",
  "method": "GET",
  "takesBody": false,
  "kinds": {
    "path": {
      "petId": "integer"
    },
    "query": {},
    "headers": {},
    "body": {}
  },
  "rules": {
    "/path/petId": "an integer from -9223372036854775808 to 9223372036854775807"
  },
  "deprecation": {
    "since": 1764892800000,
    "sunset": 1922659200000,
    "replacement": "/pets",
    "advice": "No other operation fetches an animal by its id: keep the animals that GET /pets returns."
  }
} as const),
  defaults: {
    query: {},
    headers: {},
  } as const,
  validate,
}
