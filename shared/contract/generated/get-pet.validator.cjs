// Generated from shared/contract/openapi.yaml by `npm run generate`. Do not edit.
"use strict";
module.exports = validate0;
module.exports.default = validate0;
const schema0 = {"required":["path","query","headers"],"properties":{"path":{"type":"object","additionalProperties":false,"required":["petId"],"properties":{"petId":{"integer":{"minimum":"-9223372036854775808","maximum":"9223372036854775807"}}}},"query":{"type":"object","additionalProperties":false,"required":[],"properties":{}},"headers":{"type":"object","additionalProperties":false,"required":[],"properties":{}}}};
const obj0 = BigInt("-9223372036854775808");
const obj1 = BigInt("9223372036854775807");

function validate0(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((data.path === undefined) && (missing0 = "path")) || ((data.query === undefined) && (missing0 = "query"))) || ((data.headers === undefined) && (missing0 = "headers"))){
validate0.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0}}];
return false;
}
else {
if(data.path !== undefined){
let data0 = data.path;
const _errs0 = errors;
if(errors === _errs0){
if(data0 && typeof data0 == "object" && !Array.isArray(data0)){
let missing1;
if((data0.petId === undefined) && (missing1 = "petId")){
validate0.errors = [{instancePath:instancePath+"/path",schemaPath:"#/properties/path/required",keyword:"required",params:{missingProperty: missing1}}];
return false;
}
else {
const _errs2 = errors;
for(const key0 in data0){
if(!(key0 === "petId")){
validate0.errors = [{instancePath:instancePath+"/path",schemaPath:"#/properties/path/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0}}];
return false;
break;
}
}
if(_errs2 === errors){
if(data0.petId !== undefined){
let data1 = data0.petId;
if(!(typeof data1 === "bigint" && data1 >= obj0 && data1 <= obj1)){
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
var valid0 = _errs0 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.query !== undefined){
let data2 = data.query;
const _errs4 = errors;
if(errors === _errs4){
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
var valid0 = _errs4 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.headers !== undefined){
let data3 = data.headers;
const _errs7 = errors;
if(errors === _errs7){
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
var valid0 = _errs7 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
validate0.errors = vErrors;
return errors === 0;
}
